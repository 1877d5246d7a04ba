"""Sign-flip p and bootstrap ends of thousands of pairs at once, from their histograms.

Both are laws of sums of whole numbers, and both are read off their Fourier sums. A window of a few standard deviations
holds the law, and few frequencies are left in it once a couple of hundred factors below 1 have been multiplied: a pair
costs a few hundred numbers, not a transform.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from stats.arrays import FloatArray, IntArray
from stats.histogram import Histograms
from stats.mcnemar import exact_p

LEAST_P = 1e-12
"""Below this a p from Fourier sums is rounding noise; it is then reported as this, an upper bound."""

_NEGLIGIBLE = math.log(1e-17)
"""Parts of a transform below this cannot change a double."""

_ROUGH = 1e-5
"""What single precision may hide of a squared modulus."""

_TIE = 1e-12
"""How far a cumulated probability may fall short of a tail and still meet it."""

_PAIRS = 512
"""Pairs worked on together: what fits a core's cache."""


def signflip_p(data: Histograms) -> FloatArray:
    """Exact two-sided sign-flip p of each pair; McNemar's where differences are single steps.

    Parameters
    ----------
    data : Histograms

    Returns
    -------
    ndarray of float64, shape (pairs,)
        At least LEAST_P where it comes from Fourier sums; NaN for a pair without paired tasks.

    Notes
    -----
    The sum S of signed steps has the characteristic function f(w) = prod_v cos(v w)^N_v and the parity of the sum seen:
    P(|S| < s) = 1/M sum_j u_j f(w_j) sin((s - 1) w_j) / sin(w_j), w_j = pi j / M for j = 0..M/2, u = 1 at both ends and
    2 between. Beyond the window of M >= 8 standard deviations lies less than 3e-14 (Hoeffding).
    """
    half = data.values.size // 2
    up, down = data.count[:, :half], data.count[:, half:]
    if half <= 1:
        p = exact_p(up.sum(axis=1), down.sum(axis=1))
    else:
        sizes = data.values[:half]
        p = np.empty(data.paired.size)
        both, seen = up + down, np.abs((up - down) @ sizes)
        for chosen, spread in _by_spread(np.sqrt(both @ sizes**2)):
            p[chosen] = _signflip_block(sizes, both[chosen], seen[chosen], 2 * math.ceil(4 * spread + 8))
        p = np.clip(p, np.maximum(LEAST_P, 2 * 0.5 ** both.sum(axis=1)), 1.0)
    return np.where(data.paired > 0, p, np.nan)


def percentile_ends(data: Histograms, tails: tuple[float, float]) -> FloatArray:
    """Exact percentile bootstrap ends of the sum of differences of each pair.

    Parameters
    ----------
    data : Histograms
    tails : tuple of float
        Cumulated probabilities of the two ends.

    Returns
    -------
    ndarray of float64, shape (2, pairs)
        In steps: divide by paired tasks times steps a unit. NaN for a pair without paired tasks.
    """
    ends = np.full((2, data.paired.size), np.nan)
    some = np.flatnonzero(data.paired > 0)
    count, paired = data.count[some], data.paired[some]
    mean = count @ data.values
    spread = np.sqrt(np.maximum(0.0, count @ data.values**2 - mean**2 / paired))
    largest, quantile = int(np.abs(data.values).max(initial=1)), -float(ndtri(tails[0]))
    for chosen, widest in _by_spread(spread):
        window = 2 * math.ceil(7.5 * widest + 7 * largest)
        near = min(window // 2 - 1, math.ceil(1.6 * quantile * widest) + largest)
        ends[:, some[chosen]] = _percentile_block(data.values, count[chosen], paired[chosen], tails, (window, near))
    return ends


def _by_spread(spread: FloatArray) -> Iterator[tuple[IntArray, float]]:
    order = np.argsort(spread)
    for start in range(0, order.size, _PAIRS):
        chosen = order[start : start + _PAIRS]
        yield chosen, float(spread[chosen[-1]])


def _signflip_block(sizes: IntArray, moved: FloatArray, seen: FloatArray, window: int) -> FloatArray:
    angles = np.pi * np.arange(window // 2 + 1) / window
    waves = np.cos(np.outer(sizes, angles))
    logs = moved @ np.log(np.abs(waves))
    kept = logs.max(axis=0) > _NEGLIGIBLE
    negative = (moved @ (waves[:, kept] < 0)).astype(np.int64) & 1
    transform = np.exp(logs[:, kept]) * (1 - 2 * negative)
    weight = np.full(angles.size, 2.0 / window)
    weight[[0, -1]] = 1.0 / window
    # Beyond the window nothing is left to count, but the parity of the sum has to stay.
    inside = (np.minimum(seen, window - (window - seen) % 2) - 1)[:, np.newaxis]
    angles, weight = angles[kept], weight[kept]
    kernel = np.sin(inside * angles)
    kernel[:, 1:] *= weight[1:] / np.sin(angles[1:])
    kernel[:, 0] = inside[:, 0] * weight[0]
    p: FloatArray = np.where(seen > 0, 1 - np.einsum("ij,ij->i", transform, kernel), 1.0)
    return p


def _percentile_block(
    values: IntArray, count: FloatArray, paired: FloatArray, tails: tuple[float, float], reach: tuple[int, int]
) -> FloatArray:
    window, near = reach
    angles = 2 * np.pi * np.arange(window // 2 + 1) / window
    size = paired[:, np.newaxis]
    share = np.hstack([count, size - count.sum(axis=1, keepdims=True)]) / size
    phases = np.outer([*values, 0], angles)
    kept = _peaks(share, phases) > math.exp(2 * _NEGLIGIBLE / paired.min()) - _ROUGH
    angles, phases = angles[kept], phases[:, kept]
    real, imaginary = share @ np.cos(phases), share @ np.sin(phases)
    centre = np.rint(count @ values)
    turn = size * np.arctan2(imaginary, real) - np.outer(centre, angles)
    modulus = (real**2 + imaginary**2) ** (size / 2)
    transform = np.hstack([modulus * np.cos(turn), modulus * np.sin(turn)])
    cumulated = transform @ _cumulated_waves(angles, window, near)
    inside = (cumulated[:, 0] < tails[0] - _TIE).all() and (cumulated[:, -1] >= tails[1] - _TIE).all()
    if not inside and near < window // 2 - 1:
        return _percentile_block(values, count, paired, tails, (window, window // 2 - 1))
    return np.stack([centre - near + (cumulated < tail - _TIE).sum(axis=1) for tail in tails])


def _peaks(share: FloatArray, phases: FloatArray) -> FloatArray:
    """Greatest squared modulus of the pairs' transforms, in single precision: shape (frequencies,)."""
    rough = share.astype(np.float32)
    square, sine = rough @ np.cos(phases).astype(np.float32), rough @ np.sin(phases).astype(np.float32)
    np.square(square, out=square)
    np.square(sine, out=sine)
    square += sine
    peaks: FloatArray = square.max(axis=0).astype(np.float64)
    return peaks


def _cumulated_waves(angles: FloatArray, window: int, near: int) -> FloatArray:
    """Weights that turn a transform into the probabilities of sums up to -near .. near, counted from -window / 2."""
    # Zero and half a turn stand for themselves, the others for their mirror images too.
    weight = np.where((angles == 0) | (angles > np.pi - 1e-9), 1.0, 2.0)[:, np.newaxis] / window
    ends = np.arange(-near, near + 1) + 0.5
    turned, start = np.outer(angles, ends), -angles[:, np.newaxis] * (window / 2 + 0.5)
    half = 2 * np.sin(angles[:, np.newaxis] / 2)
    half[0] = 1.0
    cosines, sines = (np.sin(turned) - np.sin(start)) / half, (np.cos(start) - np.cos(turned)) / half
    cosines[0] = ends + (window + 1) / 2
    return np.vstack([weight * cosines, weight * sines])
