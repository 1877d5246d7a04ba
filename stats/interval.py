"""Intervals, and the two that need counts only: Wilson's and the bracket of the unscored."""

import math
from dataclasses import dataclass

from scipy.special import ndtri

from stats.arrays import check_count, check_fraction


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends on the scale of the estimate (shares, not percent), and how they were found."""

    lo: float
    hi: float
    method: str
    confidence: float | None = 0.95
    """None for an interval that holds with certainty: a bracket."""

    @property
    def degenerate(self) -> bool:
        """Whether it has no width, which says that the method had nothing to vary, not that the figure is certain."""
        return self.lo == self.hi

    def __contains__(self, value: float) -> bool:
        return self.lo <= value <= self.hi

    def __neg__(self) -> "Interval":
        return Interval(-self.hi, -self.lo, self.method, self.confidence)


def normal_quantile(confidence: float) -> float:
    """Give the two-sided normal quantile of a confidence: 1.95996... for .95."""
    check_fraction("confidence", confidence)
    # (1 - .95) / 2 exceeds .025 in binary, which is enough to flip a boundary that falls on a count.
    return float(-ndtri(round((1 - confidence) / 2, 12)))


def wilson(k: float, n: float, confidence: float = 0.95, n_eff: float | None = None) -> Interval:
    """Wilson's score interval of a share, without continuity correction.

    Parameters
    ----------
    k, n : float
        Successes among `n` > 0 trials.
    confidence : float
        Two-sided.
    n_eff : float, optional
        Effective number of trials when runs of one task are not independent: the share stays k / n, the width is that
        of `n_eff` trials (Korn and Graubard's way with clustered samples, applied to Wilson's interval).

    Returns
    -------
    Interval
        Within [0, 1]. Method "wilson", or "wilson_neff" with `n_eff`.

    Raises
    ------
    ValueError
        If n is 0: the rate of nothing is null, and so is its interval.

    References
    ----------
    Wilson 1927, JASA 22:209. Korn and Graubard 1998, Survey Methodology 24:193. Franco, Little, Louis and Slud 2019, J.
    Survey Statistics and Methodology 7:334.
    """
    check_count("n", n)
    if n == 0:
        raise ValueError("an interval needs at least one scored episode, got n = 0; publish null instead")
    check_count("k", k, most=n)
    size = n if n_eff is None else n_eff
    if not size > 0:
        raise ValueError(f"n_eff must be positive, got {n_eff}")
    z2 = normal_quantile(confidence) ** 2
    rate = k / n
    centre = (rate + z2 / (2 * size)) / (1 + z2 / size)
    half = math.sqrt(z2 * (rate * (1 - rate) / size + z2 / (4 * size**2))) / (1 + z2 / size)
    return Interval(
        lo=0.0 if k == 0 else max(0.0, centre - half),
        hi=1.0 if k == n else min(1.0, centre + half),
        method="wilson" if n_eff is None else "wilson_neff",
        confidence=confidence,
    )


def bracket(passed: int, scored: int, planned: int) -> Interval:
    """Bound the rate over everything planned, whatever the unscored episodes would have given.

    Parameters
    ----------
    passed, scored, planned : int
        Episodes: passed <= scored <= planned, planned > 0.

    Returns
    -------
    Interval
        [passed / planned, (passed + planned - scored) / planned]; not a confidence interval.
    """
    check_count("planned", planned)
    if planned == 0:
        raise ValueError("a bracket needs at least one planned episode, got planned = 0; publish null instead")
    check_count("scored", scored, most=planned)
    check_count("passed", passed, most=scored)
    return Interval(passed / planned, (passed + planned - scored) / planned, method="bracket", confidence=None)
