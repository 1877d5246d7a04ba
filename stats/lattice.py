"""Task differences as whole steps: a difference of two shares of few runs is a fraction, and fractions add up exactly.

A task that passed 1 of 2 runs in one cell and 2 of 3 in the other differs by 1/6. Over the least common denominator
every difference is a whole number of steps, and the law of a sum of whole numbers can be counted instead of sampled.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stats.arrays import Counts, FloatArray, IntArray

MOST_STEPS = 2**19
"""Longest sum that is counted exactly; reached with run counts of more than ten that differ from task to task."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Differences of the paired tasks, in steps."""

    steps: IntArray
    """Shape (paired tasks,)."""

    per_unit: int
    """Steps in a difference of 1: a task's difference is steps / per_unit."""

    rounded: bool = False
    """Whether the common denominator was too long to count, so that the steps are nearest ones."""

    @property
    def tasks(self) -> int:
        """Paired tasks."""
        return self.steps.size

    @cached_property
    def histogram(self) -> tuple[IntArray, IntArray]:
        """Distinct steps in rising order, and how many tasks show each."""
        if self.tasks == 0:
            return self.steps, self.steps
        low = int(self.steps.min())
        repeats = np.bincount(self.steps - low)
        found = np.flatnonzero(repeats)
        return found + low, repeats[found]

    @property
    def differences(self) -> FloatArray:
        """Shape (paired tasks,): differences as shares."""
        return self.steps / self.per_unit


def lattice(arms: list[Counts], weights: list[int], paired: IntArray, divisor: int = 1) -> Lattice:
    """Weigh the arms' task rates into one difference a task.

    Parameters
    ----------
    arms : list of Counts
        One a cell, on the same tasks.
    weights : list of int
        One an arm; [-1, 1] is second minus first.
    paired : ndarray of int, shape (paired tasks,)
        Indices of the tasks that every arm scored at least once.
    divisor : int
        What the weighted sum is divided by.

    Returns
    -------
    Lattice
    """
    sizes = np.flatnonzero(np.bincount(np.concatenate([arm.scored[paired] for arm in arms])))
    per_unit = math.lcm(*sizes.tolist())
    if per_unit <= MOST_STEPS:
        steps = np.zeros(paired.size, dtype=np.int64)
        for arm, weight in zip(arms, weights, strict=True):
            steps += weight * arm.passed[paired] * (per_unit // arm.scored[paired])
        if np.abs(steps).sum() <= MOST_STEPS:
            common = math.gcd(per_unit * divisor, int(np.gcd.reduce(steps, initial=0)))
            return Lattice(steps // common, per_unit * divisor // common)
    exact = np.zeros(paired.size)
    for arm, weight in zip(arms, weights, strict=True):
        exact += weight * arm.passed[paired] / (divisor * arm.scored[paired])
    per_unit = int(MOST_STEPS // np.abs(exact).sum())
    return Lattice(np.rint(exact * per_unit).astype(np.int64), per_unit, rounded=True)
