"""How often two cells differ by how much: the joint histograms of all pairs, counted by matrix products.

One product of indicator matrices counts, for every pair of cells at once, the tasks on which the second is some steps
above the first. Everything that `stats.pairs` says about a pair follows from its histogram.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.arrays import FloatArray, IntArray

Indicators = NDArray[np.float32]

UNSCORED = -1


@dataclass(frozen=True, slots=True)
class Levels:
    """Task rates of several cells in whole steps."""

    level: IntArray
    """Shape (cells, tasks): rate times `per_unit`, or UNSCORED."""

    per_unit: int
    """Steps in a rate of 1: the least common multiple of the numbers of scored runs."""

    @property
    def rates(self) -> FloatArray:
        """Shape (cells,): mean rate of each cell over the tasks that it scored; NaN without any."""
        scored = self.level != UNSCORED
        total = np.where(scored, self.level, 0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(total / (scored.sum(axis=1) * self.per_unit))


@dataclass(frozen=True, slots=True)
class Histograms:
    """Differences, second minus first, of the pairs of one block."""

    values: IntArray
    """Shape (values,): differences in steps, each with its negative; 0 is left out."""

    count: FloatArray
    """Shape (pairs, values): tasks with each difference; whole numbers."""

    paired: FloatArray
    """Shape (pairs,): tasks that both cells scored."""


def levels(array: FloatArray) -> Levels:
    """Turn outcomes of shape (cells, tasks, runs) into task rates in whole steps."""
    scored = np.isfinite(array).sum(axis=2)
    passed = (array == 1).sum(axis=2)
    per_unit = math.lcm(*(int(size) for size in np.unique(scored) if size))
    return Levels(np.where(scored > 0, passed * per_unit // np.maximum(scored, 1), UNSCORED), per_unit)


def histograms(data: Levels, pairs_at_once: int) -> Iterator[Histograms]:
    """Count the differences of all pairs of cells, block by block, in the order of `numpy.triu_indices(cells, 1)`.

    Parameters
    ----------
    data : Levels
    pairs_at_once : int
        About how many pairs a block has.

    Yields
    ------
    Histograms
    """
    cells = data.level.shape[0]
    scored = (data.level != UNSCORED).astype(np.float32)
    sides = _sides(data.level)
    steps = np.array(sorted(sides), dtype=np.int64)
    values = np.concatenate([steps, -steps])
    rows = max(1, pairs_at_once // cells)
    for start in range(0, cells - 1, rows):
        block = slice(start, min(start + rows, cells - 1))
        upper = np.arange(start + 1, cells) > np.arange(start, block.stop)[:, np.newaxis]
        count = np.empty((int(upper.sum()), values.size))
        for column, step in enumerate(steps.tolist()):
            below, above = sides[step]
            count[:, column] = (below[block] @ above[start + 1 :].T)[upper]
            count[:, column + steps.size] = (above[block] @ below[start + 1 :].T)[upper]
        yield Histograms(values, count, (scored[block] @ scored[start + 1 :].T)[upper].astype(np.float64))


def _sides(level: IntArray) -> dict[int, tuple[Indicators, Indicators]]:
    """For each positive difference, indicators of the levels below and above, shape (cells, tasks * level pairs)."""
    found = [int(value) for value in np.unique(level) if value != UNSCORED]
    at = {value: (level == value).astype(np.float32) for value in found}
    meetings: dict[int, list[tuple[int, int]]] = {}
    for low in found:
        for high in found:
            if high > low:
                meetings.setdefault(high - low, []).append((low, high))
    return {
        step: (np.hstack([at[low] for low, _ in met]), np.hstack([at[high] for _, high in met]))
        for step, met in meetings.items()
    }
