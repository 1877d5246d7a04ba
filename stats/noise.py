"""The noise floor: how far two runs of one and the same system are apart."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, chdtrc

from stats.arrays import FloatArray, check_fraction, counts, outcomes
from stats.interval import Interval, normal_quantile, wilson
from stats.mcnemar import exact_p
from stats.variance import effective_size, within_by_task


@dataclass(frozen=True, slots=True)
class RunPair:
    """Two runs of one cell on the tasks that both scored."""

    first: int
    second: int
    both: int
    forward: int
    """Tasks that only the first run passed."""
    backward: int
    """Tasks that only the second run passed."""
    neither: int


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """What replicates of one cell say about noise."""

    tasks: int
    """Tasks scored at least twice."""

    runs: int
    """Runs, the width of the array."""

    pairs: tuple[RunPair, ...]
    """Every two runs that share a scored task."""

    discordant: int
    forward: int
    backward: int
    """Disagreements, summed over the pairs of runs; forward: only the earlier run passed."""

    rate: float
    """Mean over tasks of the share of its pairs of runs that disagree: twice the variance within tasks."""

    interval: Interval
    """Wilson interval of the rate, over tasks as the independent units."""

    symmetry_p: float | None
    """Whether one run is better than another: exact McNemar for two, Cochran's Q for more; None if nothing can say."""

    overdispersion: float | None
    """Variance of the runs' scores over the one that independent episodes give: about 1; None where symmetry_p is."""

    agreement_p: float
    """Chance of so little disagreement if only `least_share` of p (1 - p) were noise: small means copied runs."""

    @property
    def identical(self) -> bool:
        """Whether no two runs ever disagreed. Then there is no floor, not a floor of 0."""
        return self.discordant == 0

    @property
    def within(self) -> float | None:
        """Variance within tasks of one run, or None when the runs are identical."""
        return None if self.identical else self.rate / 2

    def band(self, tasks: int, runs_a: float = 1, runs_b: float = 1, confidence: float = 0.95) -> float | None:
        """Give the difference that noise alone stays within; None when the runs are identical."""
        return None if self.within is None else noise_band(self.within, tasks, runs_a, runs_b, confidence)


def noise_floor(y: ArrayLike, least_share: float = 0.1) -> NoiseFloor | None:
    """Measure the noise between replicates of one cell.

    Parameters
    ----------
    y : array_like, shape (tasks, runs)
        1 passed, 0 failed, NaN unscored.
    least_share : float
        Least share of noise in p (1 - p) that is believable for independent runs; public boards show .1 to .5.

    Returns
    -------
    NoiseFloor or None
        None when no task was scored twice: a floor is measured or it is not there.

    References
    ----------
    Cochran 1950, Biometrika 37:256. Bjarnason et al. 2026, arXiv 2602.07150. Miller 2024, arXiv 2411.00640, section 3.
    """
    check_fraction("least_share", least_share)
    array, cell = outcomes(y), counts(y)
    noise = within_by_task(cell)
    again = ~np.isnan(noise)
    if not again.any():
        return None
    pairs = tuple(_run_pairs(array))
    forward, backward = sum(pair.forward for pair in pairs), sum(pair.backward for pair in pairs)
    scored, passed = cell.scored[again], cell.passed[again]
    of_task = scored * (scored - 1) / 2
    symmetry_p, overdispersion = _symmetry(array, pairs)
    return NoiseFloor(
        tasks=int(again.sum()),
        runs=cell.runs,
        pairs=pairs,
        discordant=forward + backward,
        forward=forward,
        backward=backward,
        rate=2 * float(np.mean(noise[again])),
        interval=_over_tasks(passed * (scored - passed), of_task),
        symmetry_p=symmetry_p,
        overdispersion=overdispersion,
        agreement_p=_agreement(float(passed.sum() / scored.sum()), least_share, forward + backward, of_task),
    )


def noise_band(within: float, tasks: int, runs_a: float = 1, runs_b: float = 1, confidence: float = 0.95) -> float:
    """Difference of two cells that noise alone stays within.

    Parameters
    ----------
    within : float
        Variance within tasks of one run, the mean of both cells' where both are measured.
    tasks : int
        Paired tasks.
    runs_a, runs_b : float
        Runs a task of each cell; harmonic means where they vary.

    Returns
    -------
    float
        z sqrt(within (1 / runs_a + 1 / runs_b) / tasks), a share.
    """
    if tasks < 1 or not within > 0:
        raise ValueError(f"a band needs paired tasks and a measured variance, got {tasks} and {within}")
    return normal_quantile(confidence) * math.sqrt(within * (1 / runs_a + 1 / runs_b) / tasks)


def _run_pairs(array: FloatArray) -> list[RunPair]:
    found = []
    for first, second in combinations(range(array.shape[1]), 2):
        one, other = array[:, first], array[:, second]
        table = [int(((one == a) & (other == b)).sum()) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
        if sum(table):
            found.append(RunPair(first, second, *table))
    return found


def _over_tasks(discordant: FloatArray, compared: FloatArray) -> Interval:
    total, pairs = float(discordant.sum()), float(compared.sum())
    if pairs == compared.size:
        return wilson(total, pairs)
    return wilson(total, pairs, n_eff=effective_size(discordant, compared))


def _symmetry(array: FloatArray, pairs: tuple[RunPair, ...]) -> tuple[float | None, float | None]:
    whole = array[np.isfinite(array).all(axis=1)]
    runs = array.shape[1]
    passed = whole.sum(axis=1)
    spread = float((passed * (runs - passed)).sum())
    if spread == 0:
        return None, None
    totals = whole.sum(axis=0)
    ratio = runs * float(((totals - totals.mean()) ** 2).sum()) / spread
    if runs == 2:
        return float(exact_p(pairs[0].forward, pairs[0].backward)), ratio
    return float(chdtrc(runs - 1, ratio * (runs - 1))), ratio


def _agreement(rate: float, least_share: float, discordant: int, compared: FloatArray) -> float:
    # Pairs of runs of one task are not independent, so a task counts once: scale the disagreements to one pair a task.
    tasks = compared.size
    scaled = math.floor(discordant * tasks / compared.sum())
    return float(bdtr(scaled, tasks, 2 * least_share * rate * (1 - rate)))
