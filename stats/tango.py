"""The score interval of a mean paired difference: sound where few tasks moved, and never of no width.

Tango's interval for one run each, carried over to differences of any number of runs. The bootstrap can only repeat
the differences that were seen; this one asks of every mean how far the likeliest law with that mean lies from what was
seen, and such a law may hold differences that were not.
"""

import numpy as np

from stats.arrays import check_count
from stats.interval import Interval, normal_quantile
from stats.lattice import Lattice


def tango(b: int, c: int, n: int, confidence: float = 0.95) -> Interval:
    """Tango's score interval of (b - c) / n, the difference of two paired shares.

    Parameters
    ----------
    b, c : int
        Tasks gained and lost, b + c <= n.
    n : int
        Paired tasks, n > 0.
    confidence : float
        Two-sided.

    Returns
    -------
    Interval
        Within [-1, 1]; method "tango". With b = c = 0 it reaches as far as Wilson's interval of 0 / n, to both sides.

    References
    ----------
    Tango 1998, Statistics in Medicine 17:891.
    """
    check_count("b", b)
    check_count("c", c)
    check_count("b + c", b + c, most=n)
    return score_interval(Lattice(np.repeat([1, -1, 0], [b, c, n - b - c]), 1), confidence)


def score_interval(differences: Lattice, confidence: float = 0.95, bound: float = 1.0) -> Interval:
    """Score interval of the mean difference of n > 0 paired tasks.

    Parameters
    ----------
    differences : Lattice
        One run each gives Tango's interval.
    confidence : float
        Two-sided.
    bound : float
        Largest difference that a task could have shown to either side: 1 for two cells, 2 for an interaction.

    Returns
    -------
    Interval
        Within [-bound, bound].

    Notes
    -----
    Among laws on [-bound, bound] with mean D, the likeliest gives a value v, seen N_v times, the probability
    N_v / (n (1 + l (v - D))). Its variance is (mean - D) / l, whatever part of it lies at an unseen bound, so the score
    statistic n (mean - D)^2 / variance meets z^2 where l = z^2 / (n (mean - D)). The upper end is the root D of
    sum_v N_v (v - D) / (1 + l (v - D)); without a root it is (n mean + z^2 bound) / (n + z^2), where all that is
    missing lies at the bound.

    References
    ----------
    Tango 1998, Statistics in Medicine 17:891. Owen 2001, Empirical Likelihood, chapter 2.
    """
    if differences.tasks == 0:
        raise ValueError("an interval needs at least one paired task, got none; publish null instead")
    # A handful of distinct values: plain numbers are several times faster here than arrays.
    steps, repeats = differences.histogram
    seen = [(step / differences.per_unit, times) for step, times in zip(steps.tolist(), repeats.tolist(), strict=True)]
    largest = max(abs(value) for value, _ in seen)
    if largest > bound:
        raise ValueError(f"a difference of {largest} lies beyond the bound of {bound}; pass a larger one")
    z2 = normal_quantile(confidence) ** 2
    turned = [(-value, times) for value, times in reversed(seen)]
    return Interval(-_upper(turned, z2, bound), _upper(seen, z2, bound), method="tango", confidence=confidence)


def _upper(seen: list[tuple[float, int]], z2: float, bound: float) -> float:
    """Upper end from the distinct values in rising order, with the number of tasks that showed each."""
    from scipy.optimize import brentq

    tasks = sum(times for _, times in seen)
    mean = sum(value * times for value, times in seen) / tasks
    if mean >= bound:
        return bound
    least = (tasks * mean + z2 * bound) / (tasks + z2)

    def missing(difference: float) -> float:
        tilt = z2 / (tasks * (mean - difference))
        return sum(times * (value - difference) / (1 + tilt * (value - difference)) for value, times in seen)

    # A seen value at the bound is a pole at `least`; the root lies some 1 / tasks above it.
    start = least + 1e-10 * (bound - least) if seen[-1][0] == bound else least
    if missing(start) <= 0:
        return least
    return float(brentq(missing, start, bound, xtol=1e-15, rtol=1e-14))
