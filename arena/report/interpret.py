"""What a paired difference says: the first of a fixed order of words that applies, and what stands beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import stats
from arena.report.discordance import Discordance
from arena.report.panel import PanelResult
from stats import Effect, Interval

Interpretation = Literal[
    "not_evaluated",
    "no_observed_difference",
    "inside_noise_floor",
    "improved",
    "regressed",
    "equivalent",
    "inconclusive",
]

Figure = float | int | str | None

MIN_COVERAGE = 0.9
"""Least share of the compared tasks that both arms must have scored."""


@dataclass(frozen=True)
class Reason:
    """Why a word was chosen or a result held back: a code for machines, a sentence, and the figures behind both."""

    code: str
    text: str
    figures: Mapping[str, Figure] = field(default_factory=dict)


@dataclass(frozen=True)
class Noise:
    """How far apart two runs of one system would be."""

    source: Literal["both", "a", "b", "not_measured"]
    within: float | None
    """Variance of one run of one task: the mean of both arms where both are measured."""
    band: float | None
    """Differences up to this one are what noise alone makes."""
    assumed: Interval | None = None
    """Where no floor was measured: least and largest band that would be believable. It gates nothing."""


@dataclass(frozen=True)
class Missing:
    """Whether one arm lacks grades on tasks where the other has them."""

    tasks_a: int
    """Compared tasks with an unscored episode in A, and none in B."""
    tasks_b: int
    tasks_both: int
    p: float | None
    """Exact two-sided p of the first two being equally likely; null where no task decides."""


@dataclass(frozen=True)
class Reportable:
    """Whether a result may stand by itself."""

    reportable: bool
    reasons: tuple[Reason, ...]
    """Why not."""


def measured_noise(a: Discordance, b: Discordance, tasks: int, runs: tuple[float | None, float | None]) -> Noise:
    """Return the noise band of a comparison; only a floor that was measured makes one."""
    known = {name: arm.within for name, arm in (("a", a), ("b", b)) if arm.status == "measured" and arm.within}
    if not known:
        return Noise("not_measured", None, None, _assumed_band((a, b), tasks, runs))
    within = sum(known.values()) / len(known)
    source: Literal["both", "a", "b"] = "both" if len(known) == 2 else "a" if "a" in known else "b"
    if runs[0] is None or runs[1] is None:
        return Noise(source, within, None)
    return Noise(source, within, stats.noise_band(within, tasks, runs[0], runs[1]))


def _assumed_band(
    arms: tuple[Discordance, Discordance], tasks: int, runs: tuple[float | None, float | None]
) -> Interval | None:
    ranges = [arm.assumed for arm in arms if arm.assumed is not None]
    if not ranges or runs[0] is None or runs[1] is None:
        return None
    lo, hi = (sum(ends) / len(ranges) for ends in ([one.lo for one in ranges], [one.hi for one in ranges]))
    bands = [stats.noise_band(within, tasks, runs[0], runs[1]) for within in (lo, hi)]
    return Interval(bands[0], bands[1], "assumed", None)


def interpret(effect: Effect, noise: Noise, alpha: float, margin: float | None = None) -> Interpretation:
    """Return the first word that applies. The exact test decides; the noise floor gates only where it was measured."""
    if effect.difference is None or effect.p_exact is None:
        return "not_evaluated"
    if effect.unchanged == len(effect.paired):
        return "no_observed_difference"
    if noise.band is not None and abs(effect.difference) <= noise.band:
        return "inside_noise_floor"
    if effect.p_exact < alpha:
        return "improved" if effect.difference > 0 else "regressed"
    if margin is not None and _within(effect.interval, margin):
        return "equivalent"
    return "inconclusive"


def reportability(arms: tuple[PanelResult, PanelResult], effect: Effect, alpha: float) -> Reportable:
    """Say whether a comparison may be reported, and list every reason why not."""
    checks = (*map(_partial, arms, "ab"), _coverage(effect), _extreme(arms, effect), _smallest_p(effect, alpha))
    reasons = tuple(reason for reason in checks if reason is not None)
    return Reportable(not reasons, reasons)


def _within(interval: Interval | None, margin: float) -> bool:
    return interval is not None and not interval.degenerate and -margin <= interval.lo and interval.hi <= margin


def _partial(arm: PanelResult, name: str) -> Reason | None:
    if arm.status == "complete":
        return None
    text = f"the panel of {name.upper()} is {arm.completeness}"
    return Reason("partial_panel", text, {"arm": name, "ended": arm.ended, "planned": arm.planned})


def _coverage(effect: Effect) -> Reason | None:
    paired = len(effect.paired)
    if paired >= MIN_COVERAGE * effect.tasks:
        return None
    text = f"both arms scored only {paired} of {effect.tasks} tasks, less than {MIN_COVERAGE:.0%}"
    return Reason("coverage", text, {"paired": paired, "tasks": effect.tasks, "least_share": MIN_COVERAGE})


def _extreme(arms: tuple[PanelResult, PanelResult], effect: Effect) -> Reason | None:
    passed, scored = sum(arm.passed for arm in arms), sum(arm.scored for arm in arms)
    figures = {"passed": passed, "scored": scored}
    if not effect.paired:
        return None
    if passed == 0:
        return Reason("floor", f"no episode of either arm passed (0 of {scored})", figures)
    if passed == scored:
        return Reason("ceiling", f"every episode of both arms passed ({scored})", figures)
    return None


def _smallest_p(effect: Effect, alpha: float) -> Reason | None:
    if effect.p_smallest is None or effect.p_smallest < alpha:
        return None
    moved = effect.improved + effect.regressed
    text = f"with {moved} moved tasks no p below {effect.p_smallest:.4g} can be reached, which is above {alpha:g}"
    return Reason("smallest_p_above_alpha", text, {"moved": moved, "p_smallest": effect.p_smallest, "alpha": alpha})
