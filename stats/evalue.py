"""E-values of paired outcomes: evidence that may be looked at after every task."""

import math

from scipy.special import betaln

from stats.arrays import check_count


def evalue(b: float, c: float, a: float = 0.5) -> float:
    """Evidence against gains and losses being equally likely.

    Parameters
    ----------
    b, c : float
        Tasks gained and lost so far, each task counted once.
    a : float
        Weight of the prior Beta(a, a) on the share of gains; 1/2 is Jeffreys's.

    Returns
    -------
    float
        B(b + a, c + a) / B(a, a) * 2^(b + c). Its mean is 1 if there is no difference, so that the chance of it ever
        reaching 1 / alpha, whenever one stops, is at most alpha (Ville's inequality).

    Notes
    -----
    Runs of one task are not independent evidence about the population of tasks: count a task once, by the sign of its
    difference.

    References
    ----------
    Robbins 1970, Ann. Math. Statist. 41:1397. Howard, Ramdas, McAuliffe and Sekhon 2021, Ann. Statist. 49:1055.
    """
    check_count("b", b)
    check_count("c", c)
    if not a > 0:
        raise ValueError(f"the prior's weight a must be positive, got {a}")
    log = betaln(b + a, c + a) - betaln(a, a) + (b + c) * math.log(2)
    return math.exp(min(float(log), 709.0))
