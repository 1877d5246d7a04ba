"""What a comparison does to a claim: the first of a fixed order of words that applies.

A panel in which nothing could have succeeded, or failed, decides nothing; neither does one that is not whole, that
differs in more than the claimed factor, or whose difference lies inside the measured noise. The exact test, adjusted in
the claim's family, decides the rest; a declared margin is held against the score interval.
"""

from dataclasses import dataclass
from typing import Literal

import stats
from arena.report.compare import PanelComparison
from arena.report.interpret import Reason
from arena.report.words import p_value, percents
from arena.spec.claim import Claim
from stats import Interval

Word = Literal[
    "supports",
    "contradicts",
    "does_not_resolve",
    "uninformative_floor",
    "uninformative_ceiling",
    "not_evaluated",
    "rule_changed",
]

Verdict = tuple[Word, tuple[Reason, ...]]

NOT_WHOLE = ("partial_panel", "coverage")
"""Reasons against reporting that also keep a claim from being decided: its test was not carried out."""


@dataclass(frozen=True)
class Evidence:
    """What a claim's family makes of its test."""

    p_adjusted: float | None
    interval: Interval | None
    """Score interval of the difference at the level that the family leaves to one claim."""


def decide(claim: Claim, panel: PanelComparison, evidence: Evidence) -> Verdict:
    """Say what a comparison of the claim's two cells on its suite does to it."""
    if found := _not_evaluated(claim, panel):
        return "not_evaluated", (found,)
    significant = evidence.p_adjusted is not None and evidence.p_adjusted < claim.alpha
    if not significant and (extreme := _extreme(claim, panel)):
        return extreme
    if whole := tuple(reason for reason in panel.reportable.reasons if reason.code in NOT_WHOLE):
        return "not_evaluated", whole
    if claim.factor is not None and panel.attribution.status != "attributable":
        return "does_not_resolve", (Reason(panel.attribution.status, panel.attribution.reason),)
    if claim.direction == "equivalent":
        return _equivalent(claim, evidence)
    if panel.interpretation == "inside_noise_floor":
        figures = {"difference": panel.difference, "band": panel.noise.band}
        return "does_not_resolve", (Reason("inside_noise_floor", "the difference is within measured noise", figures),)
    return _directed(claim, panel, evidence, significant)


def least_moved(alpha: float) -> int:
    """Return how many tasks must change, all one way, before the exact test rejects at `alpha`."""
    moved = 1
    while stats.smallest_p(moved) >= alpha:
        moved += 1
    return moved


def _not_evaluated(claim: Claim, panel: PanelComparison) -> Reason | None:
    scored = panel.arms[0].score_definition
    if scored != claim.metric:
        text = f"the claim is about {claim.metric!r}, the panels are scored by {scored!r}"
        return Reason("another_metric", text, {"claimed": claim.metric, "scored": scored})
    if panel.interpretation == "not_evaluated":
        return Reason("no_pair", "no task was scored by both arms", {"paired": 0})
    return None


def _extreme(claim: Claim, panel: PanelComparison) -> Verdict | None:
    """Tell whether both arms lie where no difference could be shown: even at the ends of their Wilson intervals."""
    a, b = (arm.wilson_neff for arm in panel.arms)
    if a is None or b is None:
        return None
    moved = least_moved(claim.alpha)
    share = moved / panel.paired_tasks
    figures = {"needed": moved, "paired": panel.paired_tasks, "hi_a": a.hi, "hi_b": b.hi, "lo_a": a.lo, "lo_b": b.lo}
    needs = f"the test needs {moved} of {panel.paired_tasks} tasks ({share:.1%}) that change one way"
    if max(a.hi, b.hi) < share:
        text = f"{needs}; by their Wilson intervals, {percents(a)} and {percents(b)}, neither arm passes so many"
        return "uninformative_floor", (Reason("floor", text, figures),)
    if min(a.lo, b.lo) > 1 - share:
        text = f"{needs}; by their Wilson intervals, {percents(a)} and {percents(b)}, neither arm fails so many"
        return "uninformative_ceiling", (Reason("ceiling", text, figures),)
    return None


def _equivalent(claim: Claim, evidence: Evidence) -> Verdict:
    interval, margin = evidence.interval, claim.margin
    if interval is None:
        return "does_not_resolve", (Reason("no_interval", "there is no score interval to hold against the margin"),)
    figures = {"lo": interval.lo, "hi": interval.hi, "margin": margin}
    if -margin <= interval.lo and interval.hi <= margin:
        return "supports", (Reason("within_margin", f"{percents(interval)} lies within the margin", figures),)
    if interval.lo > margin or interval.hi < -margin:
        return "contradicts", (Reason("outside_margin", f"{percents(interval)} lies outside of the margin", figures),)
    return "does_not_resolve", (Reason("crosses_margin", f"{percents(interval)} crosses the margin", figures),)


def _directed(claim: Claim, panel: PanelComparison, evidence: Evidence, significant: bool) -> Verdict:
    sign = 1 if claim.direction == "improves" else -1
    gain = sign * (panel.difference or 0.0)
    tested = Reason(
        "exact_test",
        f"exact p {p_value(panel.p_exact)}, adjusted in its family {p_value(evidence.p_adjusted)}",
        {"p_exact": panel.p_exact, "p_adjusted": evidence.p_adjusted, "alpha": claim.alpha},
    )
    if significant and gain < 0:
        return "contradicts", (tested,)
    beyond = _against_margin(sign, claim.margin, evidence.interval)
    if beyond is not None and beyond.code == "margin_excluded":
        return "contradicts", (tested, beyond)
    if significant and beyond is None:
        return "supports", (tested,)
    return "does_not_resolve", (tested, *((beyond,) if beyond else ()))


def _against_margin(sign: int, margin: float, interval: Interval | None) -> Reason | None:
    """Hold a margin against the interval: nothing to say where there is none, or where all of it lies beyond."""
    if margin == 0 or interval is None:
        return None
    gain = interval if sign > 0 else -interval
    figures = {"lo": interval.lo, "hi": interval.hi, "margin": margin}
    if gain.hi < margin:
        return Reason("margin_excluded", f"{percents(interval)} does not reach the margin of {margin:.1%}", figures)
    if gain.lo < margin:
        return Reason("margin_not_reached", f"{percents(interval)} holds less than the margin of {margin:.1%}", figures)
    return None
