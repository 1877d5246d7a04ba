"""How replicates of one system disagree: the noise that a comparison has to exceed."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import stats
from arena.report.outcomes import PanelOutcomes
from stats import Interval

TOO_ALIKE_P = 0.01
"""Replicates that agree with less than this chance are suspected to be copies."""

ASSUMED_SHARE = (0.2, 0.5)
"""Share of p (1 - p) that is noise between runs, on public boards with replicates; an assumption, never a floor."""


@dataclass(frozen=True)
class Discordance:
    """How replicates of one system disagree: the measured noise floor, or why there is none."""

    status: Literal["measured", "replicates_identical", "not_measured"]
    """Replicates that never disagree are no floor of 0, but none at all."""
    tasks: int
    """Tasks scored twice or more."""
    discordant: int
    """Disagreements over all pairs of replicates."""
    forward: int
    """Of those: only the earlier replicate passed."""
    backward: int
    rate: float | None
    """Share of a task's pairs of replicates that disagree."""
    interval: Interval | None
    symmetry_p: float | None
    """Small where one replicate is better than another, which identical systems should not be."""
    agreement_p: float | None
    """Small where they agree better than independent runs would."""
    copies_suspected: bool
    within: float | None
    """Variance of one run of one task: what a comparison's noise band is made of."""
    assumed: Interval | None
    """Where none was measured: what `within` would be, were the noise such a share of p (1 - p). It never gates."""


def discordance(outcomes: PanelOutcomes) -> Discordance:
    """Measure how replicates disagree."""
    floor = stats.noise_floor(outcomes.matrix)
    if floor is None:
        return Discordance(
            "not_measured", 0, 0, 0, 0, None, None, None, None, False, None, assumed_within(outcomes.matrix)
        )
    return Discordance(
        status="replicates_identical" if floor.identical else "measured",
        tasks=floor.tasks,
        discordant=floor.discordant,
        forward=floor.forward,
        backward=floor.backward,
        rate=floor.rate,
        interval=floor.interval,
        symmetry_p=floor.symmetry_p,
        agreement_p=floor.agreement_p,
        copies_suspected=floor.agreement_p < TOO_ALIKE_P,
        within=floor.within,
        assumed=assumed_within(outcomes.matrix) if floor.identical else None,
    )


def assumed_within(matrix: NDArray[np.float64]) -> Interval | None:
    """Return the range of a floor that was not measured; none at a rate of 0 or 1, where it would be one of 0."""
    scored = matrix[np.isfinite(matrix)]
    rate = float(scored.mean()) if scored.size else 0.0
    spread = rate * (1 - rate)
    if not spread:
        return None
    return Interval(ASSUMED_SHARE[0] * spread, ASSUMED_SHARE[1] * spread, "assumed", None)
