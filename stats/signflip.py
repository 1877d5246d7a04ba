"""The exact sign-flip test: McNemar's test for cells that ran each task more than once.

If two cells are alike, each task's difference could as well have had the other sign. Flipping all signs in every way
gives the law of the sum, which is counted here, not sampled. With one run each it is McNemar's test.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import binom

from stats.arrays import FloatArray, IntArray
from stats.lattice import Lattice
from stats.mcnemar import smallest_p

_DIRECT = 2**14
"""Longest law that is convolved term by term, which keeps a small p right to its last digits."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """What the signs of the differences say."""

    p_exact: float
    """Two-sided p: the share of sign patterns whose sum is at least as far from 0 as the one seen."""

    p_midp: float
    """As p_exact, with patterns exactly as far counted half; 1 at a sum of 0."""

    p_smallest: float
    """The least p that this many moved tasks could have given."""

    exact: bool = True
    """False where the steps were rounded: then p_exact is an upper bound, off by parts in a thousand at most."""


def signflip(steps: ArrayLike | Lattice) -> SignFlip:
    """Test whether differences are symmetric about 0.

    Parameters
    ----------
    steps : array_like of int, shape (tasks,), or Lattice
        Difference of each paired task in whole steps of any size. Zeros change nothing.

    Returns
    -------
    SignFlip

    Notes
    -----
    Exact when the law of a difference is symmetric under the hypothesis, which balanced runs guarantee. With unbalanced
    runs it is only centred: the enumeration is exact, the size holds in the limit, and in simulation it stays at the
    level (`benchmarks/statistics_coverage.py`).

    References
    ----------
    Fisher 1935, The Design of Experiments, section 21. Pitman 1937, JRSS Suppl. 4:119.
    """
    differences = steps if isinstance(steps, Lattice) else Lattice(_whole(steps), 1)
    values, times = differences.histogram
    seen, rounded = abs(int(values @ times)), differences.rounded
    moved = int(times[values != 0].sum())
    smallest = smallest_p(moved)
    if seen == 0:
        return SignFlip(1.0, 1.0, smallest, exact=not rounded)
    divisor = int(np.gcd.reduce(values))
    repeats = np.bincount(np.abs(values) // divisor, weights=times)
    repeats[0] = 0
    sizes = np.flatnonzero(repeats)
    law = half_law(sizes, repeats[sizes].astype(np.int64))
    # A sum is 2 h - total, h being the sum of the sizes that kept their sign; rounding moves it by half a step a task.
    total, seen = law.size - 1, seen // divisor
    lowest = (total - seen + (moved if rounded else 0)) // 2
    tail = float(law[: lowest + 1].sum())
    return SignFlip(
        p_exact=max(smallest, min(1.0, 2 * tail)),
        p_midp=max(smallest / 2, 2 * tail - float(law[lowest])),
        p_smallest=smallest,
        exact=not rounded,
    )


def half_law(sizes: IntArray, repeats: IntArray) -> FloatArray:
    """Law of the sum of sizes whose coin fell heads.

    Parameters
    ----------
    sizes, repeats : ndarray of int, shape (distinct,)
        Distinct positive sizes, and how many tasks have each.

    Returns
    -------
    ndarray of float64, shape (sum(sizes * repeats) + 1,)
        Entry h is the probability that the kept sizes add up to h.
    """
    total = int((sizes * repeats).sum())
    if total > _DIRECT:
        return _half_law_by_fft(sizes, repeats, total)
    law = np.ones(1)
    for size, repeat in zip(sizes, repeats, strict=True):
        spread = np.zeros(size * repeat + 1)
        spread[::size] = binom(repeat, np.arange(repeat + 1)) * 0.5**repeat
        law = np.convolve(law, spread)
    return law


def _half_law_by_fft(sizes: IntArray, repeats: IntArray, total: int) -> FloatArray:
    length = total + 1
    angles = np.pi * np.arange(length // 2 + 1) / length
    transform = np.exp(-1j * angles * total)
    for size, repeat in zip(sizes, repeats, strict=True):
        transform *= np.cos(size * angles) ** repeat
    return np.fft.irfft(transform, length)


def _whole(steps: ArrayLike) -> IntArray:
    array = np.asarray(steps)
    whole = array.astype(np.int64) if array.dtype.kind in "iub" else np.rint(array).astype(np.int64)
    if array.ndim != 1 or not np.array_equal(whole, array):
        raise ValueError(
            f"steps must be whole numbers of shape (tasks,), got {array.dtype} of shape {array.shape}; "
            "multiply shares by a common denominator, or use paired()"
        )
    return whole
