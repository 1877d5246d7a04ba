"""Evidence that may be looked at after every round of replicates.

Two questions, two nulls. About *these tasks*: their mean difference is 0, and every run is new evidence. About *their
population*: a new task gains as readily as it loses, and runs of one task are not independent, so a task counts once,
by the first round in which its two runs differ.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, gammaln, ndtr, ndtri

from stats.arrays import FloatArray, IntArray, check_count, check_fraction, outcomes
from stats.evalue import evalue

Estimand = Literal["population", "tasks"]


@dataclass(frozen=True, slots=True)
class Round:
    """What is known after one round of runs."""

    rounds: int
    gained: int
    lost: int
    """Population: tasks by the first round in which their runs differ. Tasks: all runs that differ."""

    tied: int
    """Tasks whose runs have not differed yet: what a further round can still tell about the population."""

    e_value: float


def e_process(first: ArrayLike, second: ArrayLike, estimand: Estimand = "population") -> tuple[Round, ...]:
    """Follow the evidence round by round.

    Parameters
    ----------
    first, second : array_like, shape (tasks, rounds)
        The same tasks in the same order; run r of one cell stands against run r of the other. NaN is unscored: such a
        pair of runs says nothing. Rounds that only one cell has are left out.
    estimand : {"population", "tasks"}
        What the evidence is about.

    Returns
    -------
    tuple of Round
        The chance that any e-value ever reaches 1 / alpha under the null is at most alpha, whenever one stops.

    Notes
    -----
    Population: as long as a task's runs agree, nothing tells its cells apart, so under the null the first difference
    is a fair coin. Tasks: in a round, E prod(1 + x d) <= exp(x sum E d) = 1 for any stake x in [-1, 1], and `evalue`
    is the mixture of these products over stakes.

    References
    ----------
    Ville 1939. Robbins 1970, Ann. Math. Statist. 41:1397. Ramdas et al. 2023, Statist. Sci. 38:576.
    """
    difference = _rounds(first, second)
    rounds = []
    for count in range(1, difference.shape[1] + 1):
        signs = np.nan_to_num(difference[:, :count])
        tied = int((signs == 0).all(axis=1).sum())
        if estimand == "population":
            signs = _first_sign(signs)
        gained, lost = int((signs > 0).sum()), int((signs < 0).sum())
        rounds.append(Round(count, gained, lost, tied, evalue(gained, lost)))
    return tuple(rounds)


def chance_to_reach(gained: int, lost: int, tied: int, *, turns: float, gain: float, e_value: float) -> float:
    """Chance that the evidence for a gain about the population reaches `e_value`, seen from where it stands.

    Parameters
    ----------
    gained, lost, tied : int
        As in `Round`.
    turns : float
        Share of the tied tasks that will differ in what is still to be run.
    gain : float
        Share of those that will be gains, were the claimed effect there.
    e_value : float
        The goal.

    Returns
    -------
    float
        Of the state at the end; to stop when it is small adds nothing to the chance of a false decision.
    """
    for name, count in (("gained", gained), ("lost", lost), ("tied", tied)):
        check_count(name, count)
    total = 0.0
    for more, weight in enumerate(_binomial(tied, turns)):
        if weight < 1e-12:
            continue
        up = gained + np.arange(more + 1)
        down = gained + lost + more - up
        reached = (up > down) & (_log_evalue(up, down) >= math.log(e_value))
        total += float(weight * (_binomial(more, gain) @ reached))
    return min(1.0, total)


@dataclass(frozen=True, slots=True)
class Look:
    """One look of a group-sequential test."""

    rounds: int
    difference: float
    """Mean difference of the rounds so far, a share."""

    spent: float
    """Of alpha, this look included."""

    boundary: float | None
    """Least absolute difference that rejects here; None where so early nothing could."""

    rejects: bool


def group_sequential(
    first: ArrayLike, second: ArrayLike, planned: int, rng: np.random.Generator, alpha: float = 0.05, flips: int = 4999
) -> tuple[Look, ...]:
    """Exact group-sequential test of the population's difference, with a look after every round.

    Parameters
    ----------
    first, second : array_like, shape (tasks, rounds)
        As in `e_process`.
    planned : int
        Rounds at the last look, fixed beforehand.
    rng : numpy.random.Generator
        Draws the flips.
    alpha : float
        Chance of any false rejection, all looks together.
    flips : int
        Sign patterns that the data are held against.

    Returns
    -------
    tuple of Look
        One a round so far, at most `planned`.

    Notes
    -----
    Under the null a task's cells may be swapped in all of its rounds together, so the observed course of the
    difference is one of `flips` + 1 exchangeable ones. At each look the most extreme courses that are still in are
    taken out, as many as O'Brien and Fleming's spending, 2 - 2 Phi(z / sqrt(t)), allows; the test rejects when the
    observed one is taken. That is exact for any number of flips, and needs no independence of a task's runs.

    References
    ----------
    Lan and DeMets 1983, Biometrika 70:659. O'Brien and Fleming 1979, Biometrics 35:549. Hemerik and Goeman 2018, TEST
    27:811.
    """
    check_fraction("alpha", alpha)
    difference = np.nan_to_num(_rounds(first, second))[:, :planned]
    return _looks(_courses(difference, rng, flips), difference, planned, alpha)


def _courses(difference: FloatArray, rng: np.random.Generator, flips: int) -> FloatArray:
    """Absolute sums after each round, shape (flips + 1, rounds); the first are the observed ones."""
    tasks = difference.shape[0]
    signs = np.vstack([np.ones((1, tasks)), rng.choice([-1.0, 1.0], size=(flips, tasks))])
    found: FloatArray = np.abs(signs @ np.cumsum(difference, axis=1))
    return found


def _looks(courses: FloatArray, difference: FloatArray, planned: int, alpha: float) -> tuple[Look, ...]:
    inside = np.ones(len(courses), dtype=bool)
    looks: list[Look] = []
    for index in range(difference.shape[1]):
        spent = _spending((index + 1) / planned, alpha)
        allowed = int(spent * len(courses)) - int((~inside).sum())
        boundary = _boundary(courses[inside, index], allowed)
        if boundary is not None:
            inside &= courses[:, index] < boundary
        scale = difference.shape[0] * (index + 1)
        edge = None if boundary is None else boundary / scale
        mean = float(difference[:, : index + 1].sum()) / scale
        looks.append(Look(index + 1, mean, spent, edge, rejects=not inside[0]))
        if not inside[0]:
            break
    return tuple(looks)


def _log_evalue(gained: IntArray, lost: IntArray) -> FloatArray:
    """Log of `evalue` at its default prior, of many counts."""
    log_beta = np.asarray(betaln(gained + 0.5, lost + 0.5), dtype=np.float64)
    return log_beta - float(betaln(0.5, 0.5)) + (gained + lost) * math.log(2)


def _boundary(values: FloatArray, allowed: int) -> float | None:
    """Return the least value of which, with all that are as large, no more than `allowed` exist."""
    found, times = np.unique(values, return_counts=True)
    beyond = np.cumsum(times[::-1])[::-1]
    fitting = found[beyond <= allowed]
    return float(fitting[0]) if fitting.size and fitting[0] > 0 else None


def _spending(share: float, alpha: float) -> float:
    return float(2 - 2 * ndtr(-ndtri(alpha / 2) / np.sqrt(share)))


def _rounds(first: ArrayLike, second: ArrayLike) -> FloatArray:
    one, other = outcomes(first), outcomes(second)
    if one.shape[0] != other.shape[0]:
        raise ValueError(
            f"cells must share their tasks, got {one.shape[0]} and {other.shape[0]}; align them by task id"
        )
    rounds = min(one.shape[1], other.shape[1])
    found: FloatArray = other[:, :rounds] - one[:, :rounds]
    return found


def _first_sign(signs: FloatArray) -> FloatArray:
    at = (signs != 0).argmax(axis=1)
    found: FloatArray = signs[np.arange(len(signs)), at]
    return found


def _binomial(n: int, p: float) -> FloatArray:
    if p in (0.0, 1.0):
        point: FloatArray = np.zeros(n + 1)
        point[int(n * p)] = 1.0
        return point
    k = np.arange(n + 1)
    log: FloatArray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * np.log(p) + (n - k) * np.log1p(-p)
    chances: FloatArray = np.exp(log)
    return chances


def sequential_p(
    first: ArrayLike, second: ArrayLike, planned: int, seed: int = 0, flips: int = 4999, least: float = 1e-4
) -> float:
    """Least level at which `group_sequential` has rejected by now, to a tenth of its size and at least `least`.

    Parameters
    ----------
    first, second, planned, flips
        As in `group_sequential`.
    seed : int
        Of the flips, the same at every look: what was rejected stays so.

    Returns
    -------
    float
        That it is ever at most alpha, at one of the planned looks, has a chance of at most alpha; 1 if nothing is near.
    """
    difference = np.nan_to_num(_rounds(first, second))[:, :planned]
    courses = _courses(difference, np.random.default_rng(seed), flips)
    for alpha in np.geomspace(least, 0.9, 96).tolist():
        if _looks(courses, difference, planned, alpha)[-1].rejects:
            return float(alpha)
    return 1.0
