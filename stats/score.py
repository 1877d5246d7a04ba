"""The score of one cell: its rate, what is missing from it, and how sure it is."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from stats.arrays import check_count, counts
from stats.interval import Interval, bracket, wilson
from stats.variance import effective_size, variance


@dataclass(frozen=True, slots=True)
class Score:
    """A cell's rate on its tasks; whatever cannot be computed is None."""

    tasks: int
    runs: int
    planned: int
    """Episodes that were meant to be scored."""
    scored: int
    """Passed and failed."""
    passed: int
    unscored: int
    """Planned less scored: neither failures nor successes."""

    rate: float | None
    """passed / scored."""

    wilson_neff: Interval | None
    """The interval to publish: runs of one task count as what they add."""

    wilson_pooled: Interval | None
    """The interval of studies that take every run for a task of its own; too narrow for more than one run."""

    bracket: Interval
    """The rate over everything planned, were all unscored to fail or to pass."""

    n_eff: float | None
    icc: float | None
    """None without replicates, or where nothing varies."""
    deff: float | None


def score(y: ArrayLike, confidence: float = 0.95, planned: int | None = None) -> Score:
    """Score one cell.

    Parameters
    ----------
    y : array_like, shape (tasks,) or (tasks, runs)
        1 passed, 0 failed, NaN unscored; at least one entry.
    confidence : float
        Of both Wilson intervals.
    planned : int, optional
        Planned episodes where that is not every entry of `y`, as with a replicate on a part of the tasks.

    Returns
    -------
    Score

    References
    ----------
    See `wilson` and `effective_size`.
    """
    cell = counts(y)
    passed, scored = int(cell.passed.sum()), int(cell.scored.sum())
    meant = cell.tasks * cell.runs if planned is None else planned
    check_count("scored", scored, most=meant)
    parts = variance(y)
    n_eff = effective_size(cell.passed.astype(float), cell.scored.astype(float)) if scored else None
    return Score(
        tasks=cell.tasks,
        runs=cell.runs,
        planned=meant,
        scored=scored,
        passed=passed,
        unscored=meant - scored,
        rate=passed / scored if scored else None,
        wilson_neff=wilson(passed, scored, confidence, n_eff=n_eff) if scored else None,
        wilson_pooled=wilson(passed, scored, confidence) if scored else None,
        bracket=bracket(passed, scored, meant),
        n_eff=n_eff,
        icc=None if parts is None else parts.icc,
        deff=None if parts is None else parts.deff,
    )
