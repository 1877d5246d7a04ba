"""Tango's score interval of a paired difference: sound where counts are sparse, and never of no width."""

import math

from scipy.optimize import brentq

from stats.arrays import check_count
from stats.interval import Interval, normal_quantile


def tango(b: int, c: int, n: int, confidence: float = 0.95) -> Interval:
    """Score interval of (b - c) / n, the difference of two paired shares.

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

    Notes
    -----
    The ends solve abs(b - c - n D) = z sqrt(n (2 q + D (1 - D))), where q is the likeliest share lost when the
    difference is D: the larger root of 2 n q^2 + ((2 n - b + c) D - b - c) q - c D (1 - D) = 0.

    References
    ----------
    Tango 1998, Statistics in Medicine 17:891.
    """
    check_count("n", n)
    if n == 0:
        raise ValueError("an interval needs at least one paired task, got n = 0; publish null instead")
    check_count("b + c", b + c, most=n)
    check_count("b", b)
    check_count("c", c)
    z = normal_quantile(confidence)
    return Interval(-_upper(c, b, n, z), _upper(b, c, n, z), method="tango", confidence=confidence)


def _upper(b: int, c: int, n: int, z: float) -> float:
    estimate = (b - c) / n
    if estimate >= 1:
        return 1.0

    def excess(difference: float) -> float:
        linear = (2 * n - b + c) * difference - b - c
        constant = -c * difference * (1 - difference)
        lost = (math.sqrt(max(0.0, linear**2 - 8 * n * constant)) - linear) / (4 * n)
        variance = max(0.0, n * (2 * lost + difference * (1 - difference)))
        return b - c - n * difference + z * math.sqrt(variance)

    # The variance vanishes at a difference of 1, where the excess is b - c - n < 0; at the estimate it is >= 0.
    start = min(estimate + 1e-12, 1.0)
    if excess(start) <= 0:
        return estimate
    return float(brentq(excess, start, 1.0, xtol=1e-15, rtol=1e-14))
