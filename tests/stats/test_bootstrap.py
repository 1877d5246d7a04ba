import itertools

import numpy as np
import pytest
import scipy.stats as sps
from hypothesis import given
from hypothesis import strategies as st

from stats import Lattice, bootstrap_interval, resampled_law
from stats.bootstrap import tail_pair


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=5))
def test_the_law_is_that_of_all_resamples(values: list[int]) -> None:
    sums = [sum(draw) for draw in itertools.product(values, repeat=len(values))]
    first, law = resampled_law(Lattice(np.array(values), 1))
    for total in range(min(sums) - 1, max(sums) + 2):
        ours = law[total - first] if 0 <= total - first < law.size else 0.0
        assert ours == pytest.approx(sums.count(total) / len(sums), abs=1e-12)
    assert law.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_ends_are_those_of_many_draws(seed: int) -> None:
    generator = np.random.default_rng(seed)
    values = generator.integers(-3, 4, 40)
    exact = bootstrap_interval(Lattice(values, 3))
    drawn = bootstrap_interval(Lattice(values, 3), method="sampled", samples=400_000, seed=seed)
    step = 1 / (3 * values.size)
    assert (drawn.lo, drawn.hi) == pytest.approx((exact.lo, exact.hi), abs=step * 1.001)


def test_sampled_ends_are_those_of_scipys_bootstrap() -> None:
    values = np.random.default_rng(3).integers(-1, 2, 250)
    ours = bootstrap_interval(Lattice(values, 1), method="sampled", samples=9_999, seed=0)
    scipys = sps.bootstrap((values,), np.mean, method="percentile", n_resamples=9_999, rng=np.random.default_rng(1))
    ends = scipys.confidence_interval
    assert (ours.lo, ours.hi) == pytest.approx((ends.low, ends.high), abs=2.1 / 250)


def test_a_narrow_window_holds_what_the_whole_range_does() -> None:
    values = np.zeros(300, dtype=int)
    values[:4] = [2520, -1260, 840, 1]
    first, law = resampled_law(Lattice(np.array(values), 1))
    assert law.size < 300 * 3781
    totals = first + np.arange(law.size)
    assert law.sum() == pytest.approx(1, abs=1e-12)
    assert totals @ law == pytest.approx(values.sum(), abs=1e-6)
    assert (totals - values.sum()) ** 2 @ law == pytest.approx(300 * values.var(), rel=1e-9)


def test_a_boundary_on_a_count_is_not_lost_to_binary_fractions() -> None:
    assert (1 - 0.95) / 2 > 0.025
    assert tail_pair(0.95) == (0.025, 0.975)
    # 40 draws of 1..40 give each sum's quantile exactly at a count: the 1st and the 39th of 40.
    values = np.arange(1, 41)
    ends = bootstrap_interval(Lattice(values, 1), method="sampled", samples=40, seed=9)
    sums = np.sort([values[row].sum() for row in np.random.default_rng(9).integers(0, 40, (40, 40))])
    assert (ends.lo * 40, ends.hi * 40) == pytest.approx((sums[0], sums[38]))


def test_the_sampled_ends_move_with_the_seed_and_the_law_does_not() -> None:
    steps = Lattice(np.repeat([1, -1, 0], [29, 7, 214]), 1)
    uppers = {bootstrap_interval(steps, method="sampled", seed=seed).hi for seed in range(12)}
    assert uppers == {33 / 250, 34 / 250}
    assert bootstrap_interval(steps).hi == 34 / 250


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=40))
def test_order_does_not_matter_and_the_mean_is_inside(values: list[int]) -> None:
    interval = bootstrap_interval(Lattice(np.array(values), 6))
    assert bootstrap_interval(Lattice(np.array(values[::-1]), 6)) == interval
    assert np.mean(values) / 6 in interval or interval.degenerate or len(values) < 5
    assert interval.degenerate == (len(set(values)) == 1)


def test_nothing_to_resample_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one paired task"):
        bootstrap_interval(Lattice(np.array([], dtype=np.int64), 1))
