"""Many tests at once: p values adjusted within a named family."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from stats.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Adjusted p values, and the family that they belong to."""

    family: str
    method: Literal["holm", "bh"]

    size: int
    """Tests in the family, those without a result included: they were declared."""

    p: tuple[float, ...]
    adjusted: tuple[float, ...]
    """In the order given; NaN where there was no result."""


def adjust(p: ArrayLike, family: str, method: Literal["holm", "bh"] = "holm") -> Adjusted:
    """Adjust the p values of one family.

    Parameters
    ----------
    p : array_like, shape (tests,)
        p values; NaN is a declared test that gave none.
    family : str
        What the tests belong to, carried along: an adjusted p without its family cannot be checked.
    method : {"holm", "bh"}
        Holm bounds the chance of any false finding: for declared claims. Benjamini-Hochberg bounds the share of false
        findings: for the matrix of all pairs.

    Returns
    -------
    Adjusted

    References
    ----------
    Holm 1979, Scand. J. Statist. 6:65. Benjamini and Hochberg 1995, JRSS B 57:289.
    """
    if not family.strip():
        raise ValueError("a family needs a name, got an empty one; name the study and the set of claims")
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not (np.isnan(values) | ((values >= 0) & (values <= 1))).all():
        raise ValueError(f"p must be values between 0 and 1 (NaN: no result) of shape (tests,), got {values}")
    adjusted = holm(values) if method == "holm" else bh(values)
    return Adjusted(family, method, values.size, tuple(values.tolist()), tuple(adjusted.tolist()))


def holm(p: FloatArray) -> FloatArray:
    """Holm's step-down p of shape (tests,); a NaN counts as a test and stays NaN."""
    order = np.argsort(p, kind="stable")
    steps = np.arange(p.size, 0, -1)
    return _restored(p, order, np.fmax.accumulate(p[order] * steps))


def bh(p: FloatArray) -> FloatArray:
    """Benjamini and Hochberg's step-up p of shape (tests,); a NaN counts as a test and stays NaN."""
    order = np.argsort(p, kind="stable")
    steps = p.size / np.arange(1, p.size + 1)
    return _restored(p, order, np.fmin.accumulate((p[order] * steps)[::-1])[::-1])


def _restored(p: FloatArray, order: "np.ndarray[tuple[int], np.dtype[np.intp]]", stepped: FloatArray) -> FloatArray:
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return np.where(np.isnan(p), np.nan, adjusted)
