import itertools

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stats import effective_size, variance
from stats.arrays import counts
from stats.variance import within_by_task

NAN = np.nan
panels = arrays(float, st.tuples(st.integers(2, 12), st.integers(2, 4)), elements=st.sampled_from([0.0, 1.0, NAN]))


def drawn(seed: int, tasks: int = 40, runs: int = 3) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return (generator.random((tasks, runs)) < generator.beta(0.4, 0.8, tasks)[:, np.newaxis]) * 1.0


@pytest.mark.parametrize("seed", range(3))
def test_balanced_parts_are_those_of_an_analysis_of_variance(seed: int) -> None:
    y = drawn(seed)
    tasks, runs = y.shape
    square_between = runs * y.mean(axis=1).var(ddof=1)
    square_within = ((y - y.mean(axis=1, keepdims=True)) ** 2).sum() / (tasks * (runs - 1))
    parts = variance(y)
    assert parts is not None
    assert parts.within == pytest.approx(square_within, abs=1e-12)
    assert parts.between == pytest.approx((square_between - square_within) / runs, abs=1e-12)
    icc = (square_between - square_within) / (square_between + (runs - 1) * square_within)
    assert (parts.icc, parts.deff) == pytest.approx((icc, 1 + (runs - 1) * icc), abs=1e-12)


def test_parts_are_unbiased_with_unequal_runs() -> None:
    rates, runs = np.array([0.2, 0.5, 0.9]), [1, 2, 3]
    expected = np.zeros(2)
    for outcome in itertools.product((0, 1), repeat=6):
        y = np.full((3, 3), NAN)
        parts = np.split(np.array(outcome, dtype=float), [1, 3])
        chance = 1.0
        for task, part in enumerate(parts):
            y[task, : runs[task]] = part
            chance *= np.prod(np.where(part == 1, rates[task], 1 - rates[task]))
        split = variance(y)
        assert split is not None
        raw = np.nanmean(y, axis=1).var(ddof=1) - split.within * np.mean(1 / np.array(runs))
        expected += chance * np.array([split.within, raw])
    assert expected[0] == pytest.approx(np.mean((rates * (1 - rates))[1:]), abs=1e-12)
    noise = rates * (1 - rates)
    correction = np.mean(noise / runs) - noise[1:].mean() * np.mean(1 / np.array(runs))
    assert expected[1] == pytest.approx(rates.var(ddof=1) + correction, abs=1e-12)


def test_effective_size_is_what_statsmodels_clustered_error_gives() -> None:
    y = drawn(7, runs=4)
    y[np.random.default_rng(1).random(y.shape) < 0.2] = NAN
    cell = counts(y)
    rows = np.isfinite(y)
    fit = sm.OLS(y[rows], np.ones(rows.sum())).fit(
        cov_type="cluster", cov_kwds={"groups": np.nonzero(rows)[0], "use_correction": True, "df_correction": False}
    )
    rate = y[rows].mean()
    # statsmodels also multiplies by (N - 1) / (N - 1) for one parameter: only G / (G - 1) is left.
    expected = rate * (1 - rate) / fit.bse[0] ** 2
    assert effective_size(cell.passed.astype(float), cell.scored.astype(float)) == pytest.approx(expected, rel=1e-12)


def test_effective_size_has_its_limits() -> None:
    ones = np.ones(50)
    assert effective_size(np.resize([1.0, 0.0], 50), ones) == 50
    copies = np.resize([3.0, 0.0], 50)
    assert effective_size(copies, 3 * ones) == pytest.approx(49, rel=1e-12)
    assert effective_size(np.zeros(50), 3 * ones) == 50
    assert effective_size(np.full(50, 3.0), 3 * ones) == 50
    few = np.r_[1.0, 1.0, 2.0, np.zeros(47)]
    assert effective_size(few, 3 * ones) <= 50
    assert effective_size(np.array([2.0]), np.array([5.0])) == 1


def test_without_replicates_there_is_nothing_to_split() -> None:
    assert variance([1, 0, 1]) is None
    assert variance([[1, NAN], [NAN, 0]]) is None
    assert variance([[1, 0]]) is None
    assert variance(np.full((3, 2), NAN)) is None


def test_within_is_known_by_task() -> None:
    noise = within_by_task(counts([[1, 0, 1], [1, NAN, NAN], [0, 0, NAN], [NAN, NAN, NAN]]))
    assert noise[[0, 2]] == pytest.approx([1 / 3, 0])
    assert np.isnan(noise[[1, 3]]).all()


@given(panels)
def test_order_of_tasks_and_runs_does_not_matter_and_unscored_runs_add_nothing(y: np.ndarray) -> None:
    there = variance(y)
    for other in (y[::-1], y[:, ::-1], np.hstack([y, np.full((len(y), 1), NAN)])):
        back = variance(other)
        assert (there is None) == (back is None)
        if there is not None and back is not None:
            assert (back.within, back.between) == pytest.approx((there.within, there.between), abs=1e-12)
