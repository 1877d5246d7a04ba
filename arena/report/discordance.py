"""How replicates of one system disagree: the noise that a comparison has to exceed."""

from dataclasses import dataclass
from typing import Literal

import stats
from arena.report.outcomes import PanelOutcomes
from stats import Interval

TOO_ALIKE_P = 0.01
"""Replicates that agree with less than this chance are suspected to be copies."""


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


def discordance(outcomes: PanelOutcomes) -> Discordance:
    """Measure how replicates disagree."""
    floor = stats.noise_floor(outcomes.matrix)
    if floor is None:
        return Discordance("not_measured", 0, 0, 0, 0, None, None, None, None, False, None)
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
    )
