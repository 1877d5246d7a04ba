"""Repository clusters: whether a difference rests on one repository's tasks. A sensitivity, never the headline."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from stats.arrays import FloatArray, IntArray, counts
from stats.bootstrap import tail_pair
from stats.contrast import paired_tasks
from stats.interval import Interval
from stats.lattice import lattice
from stats.signflip import signflip


@dataclass(frozen=True, slots=True)
class ClusterSensitivity:
    """A paired difference with whole clusters as the units."""

    clusters: int
    """Clusters with a paired task."""

    effective: float
    """Clusters that equal ones would have to be: (sum n_g)^2 / sum n_g^2."""

    difference: float
    se: float
    """Over tasks."""

    se_clustered: float
    """Over clusters; itself noisy with a dozen of unequal ones."""

    p_clustered: float
    """Two-sided t, clusters - 1 degrees of freedom; NaN where every cluster's sum is as expected."""

    p_signflip: float
    """Exact sign-flip of the clusters' sums."""

    interval: Interval
    """difference +- t se_clustered."""

    @property
    def ratio(self) -> float:
        """se_clustered / se: above 1.5 the difference leans on few clusters. NaN if no task moved."""
        return self.se_clustered / self.se if self.se else float("nan")


def cluster_sensitivity(
    first: ArrayLike, second: ArrayLike, clusters: Sequence[Hashable], confidence: float = 0.95
) -> ClusterSensitivity | None:
    """Compare two cells with clusters of tasks as the units.

    Parameters
    ----------
    first, second : array_like, shape (tasks,) or (tasks, runs)
        1 passed, 0 failed, NaN unscored; the difference is second minus first.
    clusters : sequence, length tasks
        The cluster of each task: its repository.
    confidence : float
        Of the interval.

    Returns
    -------
    ClusterSensitivity or None
        None with paired tasks in fewer than two clusters.

    Notes
    -----
    SE^2 = G / (G - 1) sum_g (sum_{t in g} (d_t - d))^2 / n^2.

    References
    ----------
    Miller 2024, arXiv 2411.00640, section 2. Cameron and Miller 2015, J. Human Resources 50:317.
    """
    arms = [counts(first), counts(second)]
    if {arm.tasks for arm in arms} != {len(clusters)}:
        raise ValueError(f"every task needs a cluster, got {len(clusters)} for {[arm.tasks for arm in arms]} tasks")
    paired = paired_tasks(arms)
    names, member = _labels([clusters[task] for task in paired])
    if names < 2:
        return None
    differences = lattice(arms, [-1, 1], paired)
    values, sizes = differences.differences, np.bincount(member)
    mean = float(values.mean())
    se = math.sqrt(float(values.var(ddof=1)) / values.size)
    clustered = _clustered_se(values - mean, member)
    half = float(stdtrit(names - 1, tail_pair(confidence)[1])) * clustered
    sums = np.bincount(member, weights=differences.steps).astype(np.int64)
    return ClusterSensitivity(
        clusters=names,
        effective=float(sizes.sum() ** 2 / (sizes**2).sum()),
        difference=mean,
        se=se,
        se_clustered=clustered,
        p_clustered=2 * float(stdtr(names - 1, -abs(mean) / clustered)) if clustered else float("nan"),
        p_signflip=signflip(sums).p_exact,
        interval=Interval(mean - half, mean + half, method="clustered_t", confidence=confidence),
    )


def _clustered_se(centred: FloatArray, member: IntArray) -> float:
    sums = np.bincount(member, weights=centred)
    return math.sqrt(sums.size / (sums.size - 1) * float((sums**2).sum())) / centred.size


def _labels(clusters: list[Hashable]) -> tuple[int, IntArray]:
    number: dict[Hashable, int] = {}
    member = np.array([number.setdefault(cluster, len(number)) for cluster in clusters], dtype=np.int64)
    return len(number), member
