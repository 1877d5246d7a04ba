"""Every cell against every other: differences, exact p, exact intervals, tiers of cells that cannot be told apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from stats.arrays import FloatArray, IntArray, check_fraction, panel
from stats.bootstrap import tail_pair
from stats.contrast import contrast
from stats.histogram import Histograms, Levels, histograms, levels
from stats.laws import percentile_ends, signflip_p
from stats.multiplicity import bh, holm

_BULK_STEPS = 60
"""Longest unit that is counted for all pairs at once: any mix of up to six runs a task."""

_PAIRS_AT_ONCE = 2**16


@dataclass(frozen=True, slots=True, eq=False)
class PairMatrix:
    """All pairs i < j of cells, in the order of `numpy.triu_indices(cells, 1)`; arrays have shape (pairs,)."""

    rates: FloatArray
    """Shape (cells,): mean rate over the tasks that the cell scored."""

    paired: IntArray
    """Tasks that both cells scored; without any, the figures are NaN."""

    difference: FloatArray
    """Cell j less cell i over paired tasks, a share."""

    se: FloatArray
    """Over paired tasks."""

    p: FloatArray
    """Exact sign-flip p, McNemar's at one run each. Values below 1e-12 may be reported as 1e-12."""

    p_adjusted: FloatArray
    """Within the family of all these pairs, by `correction`."""

    correction: Literal["holm", "bh"]

    lo: FloatArray
    hi: FloatArray
    """Exact percentile bootstrap interval of the difference; NaN if not asked for."""

    @property
    def cells(self) -> int:
        """Cells compared."""
        return self.rates.size

    def square(self, values: FloatArray, *, signed: bool = False) -> FloatArray:
        """Lay one of the arrays out as (cells, cells); `signed` turns the sign below the diagonal. NaN on it."""
        matrix = np.full((self.cells, self.cells), np.nan)
        first, second = np.triu_indices(self.cells, 1)
        matrix[first, second] = values
        matrix[second, first] = -values if signed else values
        return matrix


def all_pairs(
    y: ArrayLike, confidence: float = 0.95, correction: Literal["holm", "bh"] = "bh", *, intervals: bool = True
) -> PairMatrix:
    """Compare every cell with every other.

    Parameters
    ----------
    y : array_like, shape (cells, tasks) or (cells, tasks, runs)
        1 passed, 0 failed, NaN unscored; the same tasks in the same order in every cell.
    confidence : float
        Of the intervals.
    correction : {"holm", "bh"}
        See `adjust`; Benjamini-Hochberg is meant for this matrix.
    intervals : bool
        Whether to compute them; they take most of the time.

    Returns
    -------
    PairMatrix
        The same figures as `paired` gives, pair by pair.

    References
    ----------
    See `signflip`, `bootstrap_interval` and `adjust`.
    """
    array = panel(y)
    tails = tail_pair(confidence)
    data = levels(array)
    if data.per_unit <= _BULK_STEPS:
        columns = list(_in_bulk(data, tails if intervals else None))
    else:
        columns = list(_one_by_one(array, confidence, intervals=intervals))
    paired, difference, se, p, lo, hi = np.hstack(columns) if columns else np.empty((6, 0))
    return PairMatrix(
        rates=data.rates,
        paired=paired.astype(np.int64),
        difference=difference,
        se=se,
        p=p,
        p_adjusted=holm(p) if correction == "holm" else bh(p),
        correction=correction,
        lo=lo,
        hi=hi,
    )


def tiers(matrix: PairMatrix, alpha: float = 0.05) -> tuple[tuple[int, ...], ...]:
    """Split cells into tiers whose members cannot be told from the tier's best.

    Parameters
    ----------
    matrix : PairMatrix
    alpha : float
        Level for the adjusted p.

    Returns
    -------
    tuple of tuple of int
        Cells from best to worst. A tier's first cell is told apart from the first of the tier above; others of the two
        tiers need not be. Cells without a scored task are in none.
    """
    check_fraction("alpha", alpha)
    apart = matrix.square(matrix.p_adjusted) < alpha
    found: list[list[int]] = []
    for cell in np.argsort(-matrix.rates, kind="stable").tolist():
        if np.isnan(matrix.rates[cell]):
            continue
        if found and not apart[found[-1][0], cell]:
            found[-1].append(cell)
        else:
            found.append([cell])
    return tuple(tuple(tier) for tier in found)


def _in_bulk(data: Levels, tails: tuple[float, float] | None) -> Iterator[FloatArray]:
    for block in histograms(data, _PAIRS_AT_ONCE):
        n = block.paired
        total, squares = block.count @ block.values, block.count @ block.values**2
        with np.errstate(invalid="ignore", divide="ignore"):
            difference = total / (n * data.per_unit)
            variance = np.maximum(0.0, squares - total**2 / n) / (n - 1)
            se = np.where(n > 1, np.sqrt(variance / n) / data.per_unit, np.nan)
            ends = np.full((2, n.size), np.nan) if tails is None else _scaled(block, data, tails)
        yield np.vstack([n, difference, se, signflip_p(block), ends])


def _scaled(block: Histograms, data: Levels, tails: tuple[float, float]) -> FloatArray:
    return percentile_ends(block, tails) / (block.paired * data.per_unit)


def _one_by_one(array: FloatArray, confidence: float, *, intervals: bool) -> Iterator[FloatArray]:
    for first, second in zip(*np.triu_indices(array.shape[0], 1), strict=True):
        effect = contrast([array[first], array[second]], [-1, 1], confidence)
        ends = (effect.interval.lo, effect.interval.hi) if effect.interval and intervals else (None, None)
        column = (len(effect.paired), effect.difference, effect.se, effect.p_exact, *ends)
        yield np.array([column], dtype=np.float64).T
