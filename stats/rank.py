"""Ranks with their uncertainty, and the cells that may be the best."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.arrays import FloatArray, IntArray, check_count, check_fraction, panel
from stats.bootstrap import tail_pair
from stats.histogram import UNSCORED, Levels, levels

_RESAMPLES_AT_ONCE = 1024

_SURELY_WORSE = 8.0
"""Standard errors behind another cell at which no resampling is needed."""


@dataclass(frozen=True, slots=True)
class RankInterval:
    """Rank of one cell; 1 is best, and equal rates share the better rank."""

    cell: int
    rank: int
    lo: int
    hi: int

    p_best: float
    """Share of resamples in which no cell is better."""


def ranks(
    y: ArrayLike, rng: np.random.Generator, samples: int = 10_000, confidence: float = 0.95
) -> tuple[RankInterval, ...]:
    """Rank cells, with percentile intervals over resampled tasks.

    Parameters
    ----------
    y : array_like, shape (cells, tasks) or (cells, tasks, runs)
        1 passed, 0 failed, NaN unscored. A cell's rate is its mean over the tasks that it scored, at least one.
    rng : numpy.random.Generator
        All cells share each resample, which keeps the pairing.
    samples : int
        Resamples.
    confidence : float
        Of each cell's interval, taken alone.

    Returns
    -------
    tuple of RankInterval
        One a cell, in the order given.

    References
    ----------
    Goldstein and Spiegelhalter 1996, JRSS A 159:385. Mogstad, Romano, Shaikh and Wilhelm 2024, Rev. Econ. Stud. 91:476.
    """
    data = _scored_levels(y)
    check_count("samples", samples)
    cells = data.level.shape[0]
    # Entry [cell, rank] counts the resamples in which the cell had the rank.
    tally = np.zeros(cells * (cells + 1), dtype=np.int64)
    offset = np.arange(cells) * (cells + 1)
    for rates in _resampled_rates(data, rng, samples):
        tally += np.bincount((offset + _rank_rows(rates)).ravel(), minlength=tally.size)
    table = tally.reshape(cells, cells + 1)
    cumulated = np.cumsum(table, axis=1)
    lo, hi = ((cumulated < round(tail * samples, 9)).sum(axis=1) for tail in tail_pair(confidence))
    observed = _rank_rows(data.rates[np.newaxis])[0]
    return tuple(
        RankInterval(cell, int(observed[cell]), int(lo[cell]), int(hi[cell]), float(table[cell, 1] / samples))
        for cell in range(cells)
    )


def best_set(y: ArrayLike, rng: np.random.Generator, samples: int = 2_000, confidence: float = 0.95) -> tuple[int, ...]:
    """Cells that cannot be excluded from being the best.

    Parameters
    ----------
    y, rng, samples
        As in `ranks`.
    confidence : float
        Chance that the set holds the best cell.

    Returns
    -------
    tuple of int
        Cells, best rate first. A cell is out if its largest studentised deficit to any other exceeds the quantile of
        that maximum under resampling of tasks.

    References
    ----------
    Hsu 1996, Multiple Comparisons, chapter 5 (multiple comparisons with the best).
    """
    check_fraction("confidence", confidence)
    data = _scored_levels(y)
    rates = data.rates
    # A resample without any task that a cell scored says nothing against it.
    drawn = np.nan_to_num(np.vstack(list(_resampled_rates(data, rng, samples))) - rates)
    return tuple(
        cell for cell in np.argsort(-rates, kind="stable").tolist() if _may_be_best(cell, rates, drawn, confidence)
    )


def _may_be_best(cell: int, rates: FloatArray, drawn: FloatArray, confidence: float) -> bool:
    error = drawn - drawn[:, [cell]]
    spread = error.std(axis=0)
    rivals = spread > 0
    if (rates[~rivals] > rates[cell]).any():
        return False
    if not rivals.any():
        return True
    deficit = float(((rates - rates[cell])[rivals] / spread[rivals]).max())
    if deficit <= 0 or deficit > _SURELY_WORSE:
        return deficit <= 0
    largest = (error[:, rivals] / spread[rivals]).max(axis=1)
    return deficit <= float(np.quantile(largest, confidence, method="inverted_cdf"))


def _scored_levels(y: ArrayLike) -> Levels:
    data = levels(panel(y))
    empty = np.flatnonzero((data.level == UNSCORED).all(axis=1))
    if empty.size:
        raise ValueError(f"every ranked cell needs a scored task, got none in cells {empty.tolist()}; leave them out")
    return data


def _resampled_rates(data: Levels, rng: np.random.Generator, samples: int) -> Iterator[FloatArray]:
    """Rates of all cells in resamples of the tasks, shape (resamples, cells), some at a time."""
    tasks = data.level.shape[1]
    # Sums of whole steps are exact in single precision up to 2^24.
    kind: type[np.floating] = np.float32 if tasks * data.per_unit < 2**24 else np.float64
    scored = data.level != UNSCORED
    steps = np.where(scored, data.level, 0).astype(kind).T
    present = None if scored.all() else scored.astype(kind).T
    for start in range(0, samples, _RESAMPLES_AT_ONCE):
        rows = min(_RESAMPLES_AT_ONCE, samples - start)
        drawn = rng.integers(0, tasks, size=(rows, tasks)) + np.arange(rows)[:, np.newaxis] * tasks
        weight = np.bincount(drawn.ravel(), minlength=rows * tasks).reshape(rows, tasks).astype(kind)
        total = np.asarray(weight @ steps, dtype=np.float64)
        drawn_scored = tasks if present is None else np.asarray(weight @ present, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            yield total / (data.per_unit * drawn_scored)


def _rank_rows(rates: FloatArray) -> IntArray:
    """Rank within each row: 1 plus the number of greater rates; NaN (nothing drawn) ranks last."""
    order = np.argsort(-rates, axis=1)
    ordered = np.take_along_axis(rates, order, axis=1)
    place = np.arange(1, rates.shape[1] + 1)
    # Equal rates share the first of their places.
    starts = np.where(np.diff(ordered, axis=1, prepend=np.inf) != 0, place, 0)
    found = np.empty_like(order)
    np.put_along_axis(found, order, np.maximum.accumulate(starts, axis=1), axis=1)
    return found
