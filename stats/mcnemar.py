"""McNemar's exact test: the decision on two cells that ran each task once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, gammaln

from stats.arrays import FloatArray, IntArray, check_count


@dataclass(frozen=True, slots=True)
class McNemar:
    """What `b` tasks gained and `c` lost say about a difference."""

    b: int
    c: int

    p_exact: float
    """Two-sided exact p; this one decides."""

    p_midp: float
    """Two-sided mid-p: less conservative, stands beside."""

    p_smallest: float
    """The least exact p that this many discordant tasks could have given."""


def mcnemar(b: int, c: int) -> McNemar:
    """Test whether gains and losses are equally likely.

    Parameters
    ----------
    b, c : int
        Tasks that only the second cell passed, and that only the first did.

    Returns
    -------
    McNemar

    Notes
    -----
    p_exact = min(1, 2 P(X <= min(b, c))), X ~ Bin(b + c, 1/2); p_midp = 2 P(X <= min) - P(X = min), which is 1 at b = c
    (Fagerland's convention there is 1 - P(X = b) / 2).

    References
    ----------
    McNemar 1947, Psychometrika 12:153. Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91.
    """
    check_count("b", b)
    check_count("c", c)
    return McNemar(
        b=b,
        c=c,
        p_exact=float(exact_p(b, c)),
        p_midp=float(midp(b, c)),
        p_smallest=smallest_p(b + c),
    )


def exact_p(b: ArrayLike, c: ArrayLike) -> FloatArray:
    """Exact two-sided p of many pairs of counts; shapes broadcast."""
    least, discordant = _least(b, c)
    p: FloatArray = np.minimum(1.0, 2 * bdtr(least, discordant, 0.5))
    return p


def midp(b: ArrayLike, c: ArrayLike) -> FloatArray:
    """Two-sided mid-p of many pairs of counts; shapes broadcast."""
    least, discordant = _least(b, c)
    log_pmf = gammaln(discordant + 1) - gammaln(least + 1) - gammaln(discordant - least + 1) - discordant * np.log(2)
    p: FloatArray = np.where(2 * least == discordant, 1.0, 2 * bdtr(least, discordant, 0.5) - np.exp(log_pmf))
    return p


def smallest_p(moved: int) -> float:
    """Give the least two-sided p that `moved` discordant tasks can give: 2 / 2^moved, and 1 for none."""
    check_count("moved", moved)
    return min(1.0, 2.0 * 0.5**moved)


def _least(b: ArrayLike, c: ArrayLike) -> tuple[IntArray, IntArray]:
    gained, lost = np.asarray(b, dtype=np.int64), np.asarray(c, dtype=np.int64)
    return np.minimum(gained, lost), gained + lost
