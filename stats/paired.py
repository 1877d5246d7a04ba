"""The paired comparison of two cells: numbers only. What they mean, `arena.report` says."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.arrays import Counts, IntArray, counts
from stats.contrast import Effect, contrast_of
from stats.interval import Interval


@dataclass(frozen=True, slots=True)
class Paired:
    """Second cell minus first on the tasks that both scored."""

    effect: Effect

    bracket: Interval | None
    """The difference over all tasks given, whatever the unscored episodes would have shown."""

    runs_first: float | None
    runs_second: float | None
    """Harmonic means of scored runs a paired task."""

    @property
    def score_interval(self) -> Interval | None:
        """The effect's score interval: the one to show where fewer than ten tasks moved."""
        return self.effect.score_interval


def paired(first: ArrayLike, second: ArrayLike, confidence: float = 0.95) -> Paired:
    """Compare two cells task by task.

    Parameters
    ----------
    first, second : array_like, shape (tasks,) or (tasks, runs)
        The same tasks in the same order: 1 passed, 0 failed, NaN unscored. `first` is the reference; a positive
        difference says that `second` is better. Numbers of runs may differ, between cells and from task to task.
    confidence : float
        Of the intervals.

    Returns
    -------
    Paired

    Notes
    -----
    A pair is a task that both cells scored at least once. The exact test decides, the intervals describe: the bootstrap
    leaves out 0 at 4 gains and 0 losses of 89, where the exact p is .125.

    References
    ----------
    Miller 2024, arXiv 2411.00640, section 4.
    """
    arms = counts(first), counts(second)
    effect = contrast_of(arms, [-1, 1], confidence)
    index = np.array(effect.paired, dtype=np.intp)
    return Paired(
        effect=effect,
        bracket=_bracket(*arms) if effect.tasks else None,
        runs_first=_harmonic_runs(arms[0].scored[index]),
        runs_second=_harmonic_runs(arms[1].scored[index]),
    )


def _bracket(first: Counts, second: Counts) -> Interval:
    low_first, high_first = _extremes(first)
    low_second, high_second = _extremes(second)
    return Interval(low_second - high_first, high_second - low_first, method="bracket", confidence=None)


def _extremes(arm: Counts) -> tuple[float, float]:
    meant = arm.tasks * arm.runs
    passed, scored = int(arm.passed.sum()), int(arm.scored.sum())
    return passed / meant, (passed + meant - scored) / meant


def _harmonic_runs(scored: IntArray) -> float | None:
    return scored.size / float((1 / scored).sum()) if scored.size else None
