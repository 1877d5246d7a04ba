"""What a panel can find: exact power of McNemar's test, the least effect it detects, the runs or tasks one needs."""

import numpy as np
from scipy.special import bdtr, bdtrik, gammaln

from stats.arrays import FloatArray, IntArray, check_count, check_fraction


def power(effect: float, tasks: int, discordant: float, alpha: float = 0.05) -> float:
    """Exact power of the two-sided exact McNemar test.

    Parameters
    ----------
    effect : float
        Difference of the two cells, a share; its sign does not matter.
    tasks : int
        Paired tasks.
    discordant : float
        Expected share of tasks on which the two differ, at least abs(effect).
    alpha : float
        Level of the test.

    Returns
    -------
    float

    Notes
    -----
    Sum over D ~ Bin(tasks, discordant) of P(reject given D), gains ~ Bin(D, (1 + effect / discordant) / 2).

    References
    ----------
    Lachenbruch 1992, Statistics in Medicine 11:1521. Miller 2024, arXiv 2411.00640, section 5.
    """
    check_count("tasks", tasks)
    check_fraction("alpha", alpha)
    check_fraction("discordant", discordant)
    if abs(effect) > discordant:
        raise ValueError(f"an effect of {effect} moves at least that share of tasks, got discordant = {discordant}")
    return _power(effect, discordant, *_critical(tasks, alpha))


def discordant_at(runs: float, discordant: float, noise: float | None = None) -> float:
    """Discordance that stays when each task is run more than once.

    Parameters
    ----------
    runs : float
        Runs a task of each cell.
    discordant : float
        Share of tasks on which two single runs differ.
    noise : float, optional
        The part of it that replicates of one cell show too: twice the variance within tasks. Needed for runs > 1.

    Returns
    -------
    float
        (discordant - noise) + noise / runs: mean square of a task's difference.
    """
    if runs == 1:
        return discordant
    if noise is None:
        raise ValueError(f"what {runs} runs are worth depends on the noise between runs; measure it or pass noise")
    noise = min(noise, discordant)
    return discordant - noise + noise / runs


def mde(
    tasks: int,
    discordant: float,
    *,
    noise: float | None = None,
    runs: float = 1,
    power: float = 0.8,
    alpha: float = 0.05,
) -> float | None:
    """Least difference that the exact test finds with the given power.

    Parameters
    ----------
    tasks : int
        Paired tasks.
    discordant, noise, runs : float
        See `discordant_at`.
    power, alpha : float
        Chance of finding it; level of the test.

    Returns
    -------
    float or None
        A share; None if not even all discordant tasks going one way would do.

    Notes
    -----
    Exact at one run. With more, a task's difference has the mean square `discordant_at` and is treated as if it were 0,
    1 or -1 with that discordance, which promises up to some ten points of power too little where few tasks move.
    """
    from scipy.optimize import brentq

    check_fraction("power", power)
    share = discordant_at(runs, discordant, noise)
    rejection = _critical(tasks, alpha)

    def short_of(effect: float) -> float:
        return power - _power(effect, max(share, effect), *rejection)

    if short_of(discordant) > 0:
        return None
    return float(brentq(short_of, 0.0, discordant, xtol=1e-9))


def runs_needed(
    effect: float,
    tasks: int,
    discordant: float,
    noise: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    most: int = 64,
) -> int | None:
    """Fewest runs a task of each cell with which the effect is found; None if `most` are not enough.

    More runs remove the noise between runs, never the differences between tasks: with few tasks no number may do.
    """
    _check_effect(effect, discordant)
    rejection = _critical(tasks, alpha)
    for runs in range(1, most + 1):
        share = max(discordant_at(runs, discordant, noise), effect)
        if _power(effect, share, *rejection) >= power:
            return runs
    return None


def tasks_needed(
    effect: float,
    discordant: float,
    *,
    noise: float | None = None,
    runs: float = 1,
    power: float = 0.8,
    alpha: float = 0.05,
    most: int = 100_000,
) -> int | None:
    """Tasks with which the effect is found, and one fewer is not enough; None if `most` are not enough."""
    _check_effect(effect, discordant)
    share = max(discordant_at(runs, discordant, noise), effect)

    def enough(tasks: int) -> bool:
        return _power(effect, share, *_critical(tasks, alpha)) >= power

    high = 8
    while not enough(high):
        if high >= most:
            return None
        high = min(2 * high, most)
    low = high // 2 if high > 8 else 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check_effect(effect: float, discordant: float) -> None:
    if not 0 < effect <= discordant:
        raise ValueError(f"effect must lie between 0 and discordant = {discordant}, got {effect}")


def _critical(tasks: int, alpha: float) -> tuple[IntArray, IntArray]:
    """Discordant counts that can reject, and the largest smaller count with which each does."""
    discordant = np.arange(tasks + 1)
    least = np.floor(np.nan_to_num(bdtrik(alpha / 2, discordant, 0.5), nan=-1.0)).astype(np.int64)
    least = np.clip(least, -1, discordant)
    least += 2 * bdtr(np.minimum(least + 1, discordant), discordant, 0.5) <= alpha
    least -= (least >= 0) & (2 * bdtr(np.maximum(least, 0), discordant, 0.5) > alpha)
    able = least >= 0
    return discordant[able], least[able]


def _power(effect: float, share: float, discordant: IntArray, least: IntArray) -> float:
    if discordant.size == 0:
        return 0.0
    gain = (1 + abs(effect) / share) / 2
    rejected = bdtr(least, discordant, gain) + bdtr(least, discordant, 1 - gain)
    return float(rejected @ _binomial(discordant, int(discordant[-1]), share))


def _binomial(k: IntArray, n: int, p: float) -> FloatArray:
    if p >= 1:
        return np.asarray(k == n, dtype=np.float64)
    log: FloatArray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * np.log(p) + (n - k) * np.log1p(-p)
    probability: FloatArray = np.exp(log)
    return probability
