"""One number a task from several cells, and everything that can be said about its mean.

A paired difference, an interaction and a main effect are the same thing with other weights; this module does them all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.arrays import Counts, IntArray, counts
from stats.bootstrap import bootstrap_interval
from stats.interval import Interval
from stats.lattice import lattice
from stats.signflip import signflip
from stats.tango import score_interval


@dataclass(frozen=True, slots=True)
class Effect:
    """Mean of one weighted difference a task. Whatever cannot be computed without paired tasks is None."""

    tasks: int
    """Tasks given."""

    paired: tuple[int, ...]
    """Indices of the tasks that every cell scored at least once."""

    difference: float | None
    """Mean over paired tasks of the weighted rates, a share."""

    se: float | None
    """Standard error over tasks, sqrt(s^2 / n) with n - 1 in s^2; None below two tasks."""

    interval: Interval | None
    """Exact percentile bootstrap over tasks; it describes."""

    score_interval: Interval | None
    """Tango's score interval, for any number of runs: the one to show where fewer than ten tasks moved."""

    improved: int
    regressed: int
    unchanged: int
    """Paired tasks whose difference is positive, negative, none."""

    p_exact: float | None
    """Exact two-sided sign-flip p, McNemar's at one run each; it decides."""

    p_midp: float | None
    p_smallest: float | None
    """Least p that the moved tasks could have given; above alpha, nothing could have been shown."""

    exact: bool = True
    """False where run counts were too uneven to count exactly: p_exact is then an upper bound."""

    @property
    def degenerate(self) -> bool:
        """Whether all paired tasks have the same difference, so that resampling sees no uncertainty."""
        return self.interval is not None and self.interval.degenerate


def contrast(cells: Sequence[ArrayLike], weights: Sequence[int], confidence: float = 0.95, divisor: int = 1) -> Effect:
    """Weigh the rates of several cells into one difference a task.

    Parameters
    ----------
    cells : sequence of array_like, shape (tasks, runs)
        The same tasks in the same order; numbers of runs may differ.
    weights : sequence of int
        One a cell: [-1, 1] is second minus first, [1, -1, -1, 1] an interaction.
    confidence : float
        Of the interval.
    divisor : int
        What the weighted sum is divided by: 2 for a mean of two differences.

    Returns
    -------
    Effect
    """
    return contrast_of([counts(cell) for cell in cells], weights, confidence, divisor)


def contrast_of(arms: Sequence[Counts], weights: Sequence[int], confidence: float = 0.95, divisor: int = 1) -> Effect:
    """As `contrast`, from counts."""
    if len({arm.tasks for arm in arms}) != 1 or len(arms) != len(weights):
        raise ValueError(
            f"cells must share their tasks and have a weight each, got {[arm.tasks for arm in arms]} tasks and "
            f"{len(weights)} weights; align them by task id first"
        )
    paired = paired_tasks(arms)
    differences = lattice(list(arms), list(weights), paired, divisor)
    n, (steps, times) = differences.tasks, differences.histogram
    total, squares = int(steps @ times), int(steps**2 @ times)
    improved, regressed = int(times[steps > 0].sum()), int(times[steps < 0].sum())
    test = signflip(differences) if n else None
    bound = max(sum(weight for weight in weights if weight > 0), -sum(weight for weight in weights if weight < 0))
    return Effect(
        tasks=arms[0].tasks,
        paired=tuple(paired.tolist()),
        difference=total / (n * differences.per_unit) if n else None,
        se=math.sqrt((squares - total**2 / n) / (n - 1) / n) / differences.per_unit if n > 1 else None,
        interval=bootstrap_interval(differences, confidence) if n else None,
        score_interval=score_interval(differences, confidence, bound / divisor) if n else None,
        improved=improved,
        regressed=regressed,
        unchanged=n - improved - regressed,
        p_exact=test.p_exact if test else None,
        p_midp=test.p_midp if test else None,
        p_smallest=test.p_smallest if test else None,
        exact=not differences.rounded,
    )


def paired_tasks(arms: Sequence[Counts]) -> IntArray:
    """Find the tasks that every arm scored at least once."""
    indices: IntArray = np.flatnonzero(np.all([arm.scored > 0 for arm in arms], axis=0))
    return indices
