"""Where the variance of a score comes from: runs of one task, or the tasks themselves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stats.arrays import Counts, FloatArray, counts

_TELLING = 5
"""Fewest clusters with a success, and with a failure, that say how alike the trials of a cluster are."""


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """Variance of one run of one task, split."""

    within: float
    """Between runs of one task: mean of p_t (1 - p_t) over tasks, unbiased. What a replicate alone can measure."""

    between: float
    """Between the tasks' own rates, unbiased, at least 0."""

    tasks: int
    """Tasks scored at least twice: what `within` rests on."""

    runs: float
    """Harmonic mean of scored runs a scored task."""

    @property
    def share(self) -> float | None:
        """Share of the variance that is within tasks; None if nothing varies."""
        total = self.within + self.between
        return self.within / total if total else None

    @property
    def icc(self) -> float | None:
        """Correlation of two runs of one task, 1 - share."""
        return None if self.share is None else 1 - self.share

    @property
    def deff(self) -> float | None:
        """Design effect: how much pooling the runs as if they were tasks understates the variance of the rate."""
        return None if self.icc is None else 1 + (self.runs - 1) * self.icc


def variance(y: ArrayLike) -> VarianceParts | None:
    """Split the variance of a cell's outcomes.

    Parameters
    ----------
    y : array_like, shape (tasks, runs)
        1 passed, 0 failed, NaN unscored; tasks may have different numbers of scored runs.

    Returns
    -------
    VarianceParts or None
        None unless two tasks were scored and one of them twice: without a replicate there is nothing to split.

    Notes
    -----
    within = mean of k (m - k) / (m (m - 1)) over tasks of m >= 2 scored runs; between = sample variance of k / m over
    scored tasks - within * mean(1 / m). With equal m both are the estimates of a one-way analysis of variance.

    References
    ----------
    Miller 2024, arXiv 2411.00640, section 3. Searle, Casella and McCulloch 1992, Variance Components, chapter 3.
    """
    cell = counts(y)
    noise = within_by_task(cell)
    scored = cell.scored > 0
    if scored.sum() < 2 or np.isnan(noise).all():
        return None
    within = float(np.nanmean(noise))
    rates = cell.passed[scored] / cell.scored[scored]
    inverse_runs = float(np.mean(1 / cell.scored[scored]))
    return VarianceParts(
        within=within,
        between=max(0.0, float(rates.var(ddof=1)) - within * inverse_runs),
        tasks=int((cell.scored > 1).sum()),
        runs=1 / inverse_runs,
    )


def within_by_task(cell: Counts) -> FloatArray:
    """Unbiased p_t (1 - p_t) of each task, shape (tasks,); NaN where fewer than two runs were scored."""
    noise = np.full(cell.tasks, np.nan)
    again = cell.scored > 1
    passed, scored = cell.passed[again], cell.scored[again]
    noise[again] = passed * (scored - passed) / (scored * (scored - 1))
    return noise


def effective_size(successes: FloatArray, trials: FloatArray) -> float:
    """Effective number of independent trials of a share whose trials come in clusters.

    Parameters
    ----------
    successes, trials : ndarray, shape (clusters,)
        Counts of each cluster; clusters without trials are left out.

    Returns
    -------
    float
        p (1 - p) / SE^2, at most the number of trials, where SE^2 = G / (G - 1) sum((k_g - p m_g)^2) / (sum m_g)^2 is
        the clustered variance of the pooled share p. One trial a cluster gives the trials themselves.

    Notes
    -----
    Where fewer than 5 clusters have a success, or a failure, they say too little of how alike the trials of a cluster
    are, and each cluster counts once at most. Without this a nominal 95% interval at a rate of 3%, 89 tasks and 5 runs
    covers 91% (`benchmarks/statistics_coverage.py`).

    References
    ----------
    Korn and Graubard 1998, Survey Methodology 24:193.
    """
    used = trials > 0
    successes, trials = successes[used], trials[used]
    clusters, total = trials.size, float(trials.sum())
    if clusters == total:
        return total
    rate = float(successes.sum()) / total
    spread = float(((successes - rate * trials) ** 2).sum())
    if clusters < 2 or spread == 0:
        return float(clusters)
    telling = min(int((successes > 0).sum()), int((successes < trials).sum()))
    most = total if telling >= _TELLING else float(clusters)
    squared_error = clusters / (clusters - 1) * spread / total**2
    return min(most, rate * (1 - rate) / squared_error)
