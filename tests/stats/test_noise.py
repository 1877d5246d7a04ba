import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.contingency_tables import cochrans_q

from stats import noise_band, noise_floor, wilson

NAN = np.nan
DATA = Path(__file__).parents[3] / "shared" / "data" / "verified_replicates.csv"
panels = arrays(float, st.tuples(st.integers(2, 12), st.integers(2, 4)), elements=st.sampled_from([0.0, 1.0, NAN]))


def drawn(tasks: int, runs: int, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return (generator.random((tasks, runs)) < generator.beta(1, 1, tasks)[:, np.newaxis]) * 1.0


def test_runs_that_never_disagree_give_no_floor_not_a_floor_of_zero() -> None:
    copied = np.repeat(np.resize([1.0, 0.0], 89)[:, np.newaxis], 5, axis=1)
    floor = noise_floor(copied)
    assert floor is not None
    assert floor.identical
    assert (floor.within, floor.band(89), floor.symmetry_p) == (None, None, None)
    assert floor.agreement_p < 0.05, "89 tasks at 50% that agree five times are copies or a damaged export"
    assert floor.interval.hi > 0


def test_runs_that_all_fail_agree_without_suspicion() -> None:
    floor = noise_floor(np.zeros((250, 2)))
    assert floor is not None
    assert (floor.identical, floor.band(250), floor.agreement_p) == (True, None, 1.0)


def test_independent_runs_agree_without_suspicion() -> None:
    floor = noise_floor(drawn(250, 3))
    assert floor is not None
    assert floor.agreement_p > 0.9
    assert not floor.identical


def test_one_run_measures_no_floor() -> None:
    assert noise_floor([1, 0, 1]) is None
    assert noise_floor([[1, NAN], [NAN, 0]]) is None


def test_more_than_two_runs_are_tested_by_cochrans_q() -> None:
    y = drawn(60, 4)
    floor, theirs = noise_floor(y), cochrans_q(y)
    assert floor is not None
    assert floor.symmetry_p == pytest.approx(theirs.pvalue, rel=1e-12)
    assert floor.overdispersion == pytest.approx(theirs.statistic / 3, rel=1e-12)


def test_overdispersion_of_independent_runs_is_one_on_average() -> None:
    ratios = [floor.overdispersion for seed in range(300) if (floor := noise_floor(drawn(40, 3, seed)))]
    assert np.mean(ratios) == pytest.approx(1, abs=0.15)


def test_a_worse_run_is_asymmetric() -> None:
    y = drawn(200, 2)
    y[:100, 1] = 0
    floor = noise_floor(y)
    assert floor is not None
    assert floor.symmetry_p < 1e-3
    assert floor.forward > floor.backward


def test_a_pair_of_runs_counts_only_tasks_that_both_scored() -> None:
    floor = noise_floor([[1, 0, NAN], [1, NAN, NAN], [0, 0, 1], [NAN, NAN, NAN], [1, 1, 0]])
    assert floor is not None
    first = floor.pairs[0]
    assert (first.first, first.second, first.both, first.forward, first.backward, first.neither) == (0, 1, 1, 1, 0, 1)
    assert (floor.tasks, floor.runs, len(floor.pairs)) == (3, 3, 3)
    assert floor.rate == pytest.approx((1 + 2 / 3 + 2 / 3) / 3)


def test_the_band_shrinks_with_runs_and_needs_a_variance() -> None:
    assert noise_band(0.078, 250, 4, 4) == pytest.approx(noise_band(0.078, 250) / 2)
    assert noise_band(0.078, 250, 1, 3) < noise_band(0.078, 250)
    with pytest.raises(ValueError, match="measured variance"):
        noise_band(0.0, 250)


@given(panels)
def test_order_of_tasks_does_not_matter_and_reversed_runs_swap_directions(y: np.ndarray) -> None:
    there, shuffled, reversed_runs = noise_floor(y), noise_floor(y[::-1]), noise_floor(y[:, ::-1])
    if there is None:
        assert shuffled is None
        assert reversed_runs is None
        return
    assert shuffled is not None
    assert reversed_runs is not None
    assert (shuffled.rate, shuffled.interval.hi) == pytest.approx((there.rate, there.interval.hi))
    assert (reversed_runs.forward, reversed_runs.backward) == (there.backward, there.forward)
    assert there.interval.lo <= there.interval.hi <= 1


def test_the_interval_takes_tasks_for_the_units() -> None:
    y = np.repeat(drawn(100, 2), 2, axis=1)
    floor = noise_floor(y)
    assert floor is not None
    assert floor.interval.hi - floor.interval.lo > (w := wilson(floor.discordant, 600)).hi - w.lo


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA.name} is not there")
def test_a_public_study_of_five_runs_at_temperature_zero() -> None:
    table: dict[str, dict[str, float]] = defaultdict(dict)
    for row in csv.DictReader(DATA.read_text().splitlines()):
        if row["system"] == "mini-swe-agent-2.2.8+claude-sonnet-4-5":
            table[row["instance_id"]][row["run"]] = float(row["resolved"] or "nan")
    y = np.array([list(runs.values()) for runs in table.values()])
    floor = noise_floor(y)
    assert floor is not None
    assert np.nansum(y, axis=0).tolist() == [79, 75, 77, 76, 72]
    assert sorted(pair.forward + pair.backward for pair in floor.pairs)[:: len(floor.pairs) - 1] == [5, 11]
    assert floor.within == pytest.approx(0.037, abs=1e-9)
    assert np.sqrt(floor.overdispersion) == pytest.approx(2.59 / 1.97, abs=0.02)
    assert floor.symmetry_p == pytest.approx(0.134, abs=5e-4)
