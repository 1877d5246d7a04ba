"""pass@k and pass^k: at least one of k runs passes, and all of k do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import binom

from stats.arrays import check_count, counts


@dataclass(frozen=True, slots=True)
class PassAtK:
    """Unbiased estimate over the tasks that were scored often enough."""

    k: int

    value: float | None
    """Mean over `tasks`; None if there is none."""

    tasks: int
    """Tasks with at least k scored runs."""

    short: int
    """Tasks with fewer, for which the figure is not defined and which are left out."""


def pass_at_k(y: ArrayLike, k: int) -> PassAtK:
    """Chance that at least one of k runs of a task passes.

    Parameters
    ----------
    y : array_like, shape (tasks, runs)
        1 passed, 0 failed, NaN unscored.
    k : int
        At least 1.

    Returns
    -------
    PassAtK
        Mean over tasks of 1 - C(m - c, k) / C(m, k), with c of m scored runs passed.

    References
    ----------
    Chen et al. 2021, arXiv 2107.03374.
    """
    return _mean_over_tasks(y, k, every=False)


def pass_hat_k(y: ArrayLike, k: int) -> PassAtK:
    """Chance that all of k runs of a task pass, "pass^k".

    Parameters
    ----------
    y : array_like, shape (tasks, runs)
        1 passed, 0 failed, NaN unscored.
    k : int
        At least 1.

    Returns
    -------
    PassAtK
        Mean over tasks of C(c, k) / C(m, k), with c of m scored runs passed.

    References
    ----------
    Yao et al. 2024, arXiv 2406.12045.
    """
    return _mean_over_tasks(y, k, every=True)


def _mean_over_tasks(y: ArrayLike, k: int, *, every: bool) -> PassAtK:
    check_count("k", k)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    cell = counts(y)
    enough = cell.scored >= k
    passed, scored = cell.passed[enough], cell.scored[enough]
    alike = binom(passed if every else scored - passed, k) / binom(scored, k)
    values = alike if every else 1 - alike
    tasks = int(enough.sum())
    return PassAtK(k, float(np.mean(values)) if tasks else None, tasks, cell.tasks - tasks)
