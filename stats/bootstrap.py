"""The percentile bootstrap of a mean difference: its exact law, and the sampled one that published figures use.

Resampling tasks is a sum of independent draws from the differences seen, so its law is their histogram convolved with
itself n times: one power of a Fourier transform. It has no seed and no sampling error. It describes; it never decides.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stats.arrays import FloatArray, IntArray, check_count, check_fraction
from stats.interval import Interval
from stats.lattice import Lattice

ComplexArray = NDArray[np.complex128]

_REACH = 8, 12
"""Standard deviations and largest steps to each side that a law is counted over; beyond lies less than 1e-14."""

_TIE = 1e-12
"""How far a cumulated probability may fall short of a tail and still meet it: Fourier sums round at 1e-15."""


def bootstrap_interval(
    differences: Lattice,
    confidence: float = 0.95,
    method: Literal["exact", "sampled"] = "exact",
    samples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Percentile bootstrap interval of the mean difference over tasks.

    Parameters
    ----------
    differences : Lattice
        Differences of n > 0 paired tasks.
    confidence : float
        Two-sided.
    method : {"exact", "sampled"}
        The law itself, or `samples` resamples of task indices drawn from `numpy.random.default_rng(seed)`, the "paired
        percentile" of published reports, whose ends move by a step from seed to seed.
    samples, seed : int
        For "sampled" alone.

    Returns
    -------
    Interval
        Method "bootstrap_exact" or "paired_percentile". No width when all differences are equal: `Interval.degenerate`.

    Notes
    -----
    A quantile is the least value whose cumulated probability reaches the tail (inverted distribution function); tails
    are rounded to 12 digits, because (1 - .95) / 2 > .025 in binary.

    References
    ----------
    Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
    """
    if differences.tasks == 0:
        raise ValueError("an interval needs at least one paired task, got none; publish null instead")
    tails = tail_pair(confidence)
    if method == "sampled":
        check_count("samples", samples)
        sums = np.sort(_sampled_sums(differences.steps, samples, seed))
        ends = [float(sums[max(0, int(np.ceil(round(tail * samples, 9))) - 1)]) for tail in tails]
    else:
        first, law = resampled_law(differences)
        cumulated = np.cumsum(law)
        ends = [float(first + min(int(np.searchsorted(cumulated, tail - _TIE)), law.size - 1)) for tail in tails]
    scale = differences.tasks * differences.per_unit
    name = "bootstrap_exact" if method == "exact" else "paired_percentile"
    return Interval(ends[0] / scale, ends[1] / scale, method=name, confidence=confidence)


def resampled_law(differences: Lattice) -> tuple[int, FloatArray]:
    """Law of the sum of as many draws with replacement as there are tasks.

    Parameters
    ----------
    differences : Lattice
        Of n > 0 paired tasks.

    Returns
    -------
    first : int
        The sum that the first entry stands for.
    law : ndarray of float64
        Entry i is the probability of the sum first + i, to 1e-16: impossible sums may lie that far below 0.
    """
    values, repeats = differences.histogram
    tasks, low = differences.tasks, int(values[0])
    share = np.zeros(int(values[-1]) - low + 1)
    share[values - low] = repeats / tasks
    # Draws above the lowest step; a window that wraps around is as good as the whole range once nothing lies beyond it.
    above = np.arange(share.size)
    mean = float(share @ above)
    spread = math.sqrt(tasks * max(0.0, float(share @ above**2) - mean**2))
    whole = tasks * (share.size - 1) + 1
    needed = 2 * int(_REACH[0] * spread + _REACH[1] * share.size) + 2
    length = 1 << (min(whole, needed) - 1).bit_length()
    start = 0 if length >= whole else max(0, round(tasks * mean - length / 2))
    law = np.fft.irfft(_power(np.fft.rfft(_wrapped(share, length), length), tasks), length)
    turn = start % length
    return tasks * low + start, np.concatenate((law[turn:], law[:turn]))


def tail_pair(confidence: float) -> tuple[float, float]:
    """Lower and upper cumulated probability of a two-sided interval, rounded to 12 digits."""
    check_fraction("confidence", confidence)
    tail = round((1 - confidence) / 2, 12)
    return tail, round(1 - tail, 12)


def _wrapped(share: FloatArray, length: int) -> FloatArray:
    if share.size <= length:
        return share
    rows = -(-share.size // length)
    folded: FloatArray = np.pad(share, (0, rows * length - share.size)).reshape(rows, length).sum(axis=0)
    return folded


def _power(transform: ComplexArray, exponent: int) -> ComplexArray:
    result = np.ones_like(transform)
    square = transform
    while exponent:
        if exponent & 1:
            result = result * square
        square = square * square
        exponent >>= 1
    return result


def _sampled_sums(steps: IntArray, samples: int, seed: int) -> IntArray:
    generator = np.random.default_rng(seed)
    rows = max(1, 2**18 // steps.size)
    sums = np.empty(samples, dtype=np.int64)
    for start in range(0, samples, rows):
        stop = min(start + rows, samples)
        sums[start:stop] = steps[generator.integers(0, steps.size, size=(stop - start, steps.size))].sum(axis=1)
    return sums
