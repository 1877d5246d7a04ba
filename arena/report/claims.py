"""Every locked claim and what the records decide about it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import stats
from arena.errors import UsageError
from arena.records.claims import LockedClaim, Role
from arena.records.run import RunRecord
from arena.report.compare import Comparison, PanelComparison, Rules, compare
from arena.report.decide import Evidence, Word, decide
from arena.report.interpret import Reason
from arena.report.json_form import Json, json_form
from arena.report.outcomes import panel_outcomes
from arena.report.rounds import cut, whole_rounds
from arena.report.words import NONE, p_value, plain, points, table
from arena.spec.claim import Claim, Correction
from stats import Interval
from stats.sequential import e_process, sequential_p

if TYPE_CHECKING:
    from rich.console import RenderableType

HEADER = ("claim", "says", "panel", "difference", "exact p", "adjusted p", "decision", "why")


@dataclass(frozen=True)
class Decision:
    """One claim, decided by the records as they are."""

    scope: str
    id: str
    treatment: str
    comparator: str
    suite: str
    says: str
    word: Word
    computed: Word
    """The word by the rule alone; it differs from `word` where the claim does not bind the result."""
    reasons: tuple[Reason, ...]
    a: str | None
    """The comparator's run that was compared."""
    b: str | None
    difference: float | None
    p_exact: float | None
    p_adjusted: float | None
    """Within its family; of a p that holds whenever one stops, where the study may stop."""
    e_value: float | None
    """The largest so far, about the tasks' population; null where the number of runs was fixed beforehand."""
    alpha: float
    family: str
    family_size: int
    """Claims of the family, those without a result included."""
    correction: Correction
    locked_at: str
    digest: str
    late: bool
    later_runs: tuple[str, ...]
    """Runs of an arm that began when its results were known; they decide nothing."""
    published_decision: str | None
    """What the study itself said, in its own words."""

    @property
    def decided(self) -> str:
        """Return the word, what it would be if the claim bound the result, and what the study itself said."""
        computed = "" if self.word == self.computed else f" (else {self.computed})"
        published = "" if self.published_decision is None else f"; published: {self.published_decision}"
        return f"{self.word}{computed}{published}"

    @property
    def why(self) -> str:
        return "; ".join(reason.text for reason in self.reasons)


@dataclass(frozen=True)
class Decisions:
    """Every claim's decision, in the order of locking."""

    decisions: tuple[Decision, ...]

    def as_json(self) -> Json:
        return json_form(self.decisions)

    def to_markdown(self) -> str:
        return decisions_markdown(self.decisions) or "No claims are locked.\n"

    def drawn(self) -> "RenderableType":
        from rich.table import Table
        from rich.text import Text

        if not self.decisions:
            return Text("no claims are locked; a cell or a study declares them under `claims`")
        drawn = Table(*HEADER, box=None, header_style="dim")
        for one in self.decisions:
            drawn.add_row(*(Text(text) for text in decision_line(one)))
        return drawn


NO_DECISIONS = Decisions(())


@dataclass(frozen=True)
class _Case:
    """A claim beside the comparison that may decide it."""

    locked: LockedClaim
    comparison: Comparison | None
    panel: PanelComparison | None
    unbound: tuple[Reason, ...]
    """Why the result does not bind; empty where it does."""
    missing: Reason | None
    arms: tuple[RunRecord, RunRecord] | None

    @cached_property
    def p(self) -> float | None:
        """The p that the claim's family corrects: of the exact test, or one that holds whenever one stops."""
        if self.panel is None or self.locked.claim.direction == "equivalent":
            return None
        stop = self.locked.stop
        if stop is None or self.arms is None or not self.panel.paired_tasks:
            return self.panel.p_exact
        if stop.design == "group_sequential":
            return sequential_p(*paired_outcomes(self.arms, self.panel), stop.replicates_max)
        return min(1.0, 1 / (self.e_value or 1.0))

    @cached_property
    def e_value(self) -> float | None:
        """The largest so far; that it ever reaches 1 / alpha has a chance of at most alpha."""
        if self.locked.stop is None or self.arms is None or self.panel is None or not self.panel.paired_tasks:
            return None
        return max(one.e_value for one in e_process(*paired_outcomes(self.arms, self.panel)))


def decisions(locks: Sequence[LockedClaim], runs: Iterable[RunRecord]) -> Decisions:
    """Decide every locked claim from these runs."""
    by_cell: dict[str, list[RunRecord]] = {}
    for run in runs:
        by_cell.setdefault(run.cell, []).append(run)
    cases = [_case(locked, by_cell) for locked in locks]
    return Decisions(tuple(_decided(case, _family(case, cases)) for case in cases))


def with_decisions(comparison: Comparison, found: Decisions) -> Comparison:
    """Return a comparison whose panels carry the decisions that were made on the same two runs."""
    here = [one for one in found.decisions if (one.a, one.b) == (comparison.a.run, comparison.b.run)]
    on = {panel.suite: tuple(one for one in here if one.suite == panel.suite) for panel in comparison.panels}
    panels = tuple(
        replace(panel, preregistered_decision=_joined(on[panel.suite]), claims=on[panel.suite])
        for panel in comparison.panels
    )
    return replace(comparison, panels=panels)


def decision_line(one: Decision) -> tuple[str, ...]:
    """Return a decision as the cells of a row."""
    figures = (points(one.difference), p_value(one.p_exact), p_value(one.p_adjusted))
    return (f"{one.scope} {one.id}", one.says, one.suite, *figures, one.decided, one.why or NONE)


def decisions_markdown(found: Sequence[Decision]) -> str:
    if not found:
        return ""
    return table(HEADER, [[plain(text) for text in decision_line(one)] for one in found]) + "\n"


def _joined(found: Sequence[Decision]) -> str:
    return ", ".join(dict.fromkeys(one.word for one in found)) or "none"


def _case(locked: LockedClaim, by_cell: Mapping[str, Sequence[RunRecord]]) -> _Case:
    claim = locked.claim
    a, no_a = _arm(locked, "comparator", by_cell.get(claim.comparator, ()))
    b, no_b = _arm(locked, "treatment", by_cell.get(claim.treatment, ()))
    unbound = (*_late(locked), *(reason for reason in (no_a, no_b) if reason is not None))
    if a is None or b is None:
        lacking = claim.comparator if a is None else claim.treatment
        return _Case(locked, None, None, unbound, Reason("not_run", f"no run of {lacking} is among these"), None)
    if locked.stop is not None and (rounds := min(whole_rounds(run, claim.suite) for run in (a, b))):
        a, b = (cut(run, claim.suite, rounds) for run in (a, b))
    try:
        comparison = compare(a, b, claim.factor, Rules(alpha=claim.alpha))
    except UsageError as refused:
        return _Case(locked, None, None, unbound, Reason("not_comparable", str(refused)), (a, b))
    panel = next((one for one in comparison.panels if one.suite == claim.suite), None)
    missing = None if panel else Reason("not_run", f"one of the two has no panel of {claim.suite}")
    return _Case(locked, comparison, panel, unbound, missing, (a, b))


def _arm(locked: LockedClaim, role: Role, runs: Sequence[RunRecord]) -> tuple[RunRecord | None, Reason | None]:
    """Return the run that decides; where it is not there, the newest one, which does not."""
    wanted = locked.first_runs.get(role)
    newest = max(runs, key=lambda run: run.started_at, default=None)
    if wanted is None:
        return newest, None
    found = next((run for run in runs if run.id == wanted), None)
    if found is not None or newest is None:
        return found, None
    text = f"the claim binds {wanted}; {newest.id} began when results of the {role} were known"
    return newest, Reason("another_run", text, {"bound": wanted, "compared": newest.id})


def _late(locked: LockedClaim) -> tuple[Reason, ...]:
    if not locked.late:
        return ()
    text = f"the claim was made when {locked.treatment.scored} episodes of the treatment were scored"
    return (Reason("late", text, {"scored": locked.treatment.scored}),)


def _family(case: _Case, cases: Sequence[_Case]) -> list[_Case]:
    """Return the claims that are corrected together with one: those of its family that were made in time."""
    return [
        other
        for other in cases
        if other.locked.family == case.locked.family and (other is case or not other.locked.late)
    ]


def _decided(case: _Case, family: Sequence[_Case]) -> Decision:
    claim, locked = case.locked.claim, case.locked
    adjusted = _adjusted(case, family)
    computed: Word = "not_evaluated"
    reasons: tuple[Reason, ...] = (case.missing,) if case.missing else ()
    if case.panel is not None:
        computed, reasons = decide(claim, case.panel, Evidence(adjusted, _interval(case, len(family))))
    binds = not case.unbound or computed == "not_evaluated"
    return Decision(
        scope=locked.scope,
        id=claim.id,
        treatment=claim.treatment,
        comparator=claim.comparator,
        suite=claim.suite,
        says=says(claim),
        word=computed if binds else "rule_changed",
        computed=computed,
        reasons=(*case.unbound, *reasons),
        a=case.arms[0].id if case.arms else None,
        b=case.arms[1].id if case.arms else None,
        difference=case.panel.difference if case.panel else None,
        p_exact=case.panel.p_exact if case.panel else None,
        p_adjusted=adjusted,
        e_value=case.e_value,
        alpha=claim.alpha,
        family=claim.family,
        family_size=len(family),
        correction=claim.correction,
        locked_at=locked.at,
        digest=locked.digest,
        late=locked.late,
        later_runs=locked.later_runs,
        published_decision=locked.published_decision,
    )


def says(claim: Claim) -> str:
    """Return the claim as a sentence."""
    margin = f" by at least {100 * claim.margin:g} points" if claim.margin else ""
    if claim.direction == "equivalent":
        verb, margin = "is within", f" {100 * claim.margin:g} points of"
        return f"{claim.treatment} {verb}{margin} {claim.comparator}"
    verb = "is better than" if claim.direction == "improves" else "is worse than"
    return f"{claim.treatment} {verb} {claim.comparator}{margin}"


def _adjusted(case: _Case, family: Sequence[_Case]) -> float | None:
    correction = case.locked.claim.correction
    if case.p is None or correction == "none":
        return case.p
    name = "/".join(case.locked.family)
    found = stats.adjust([float("nan") if one.p is None else one.p for one in family], name, correction)
    return found.adjusted[family.index(case)]


def _interval(case: _Case, family: int) -> Interval | None:
    """Return the score interval at the level that the family leaves to one claim."""
    claim = case.locked.claim
    if case.panel is None or case.arms is None or (claim.margin == 0 and claim.direction != "equivalent"):
        return None
    share = claim.alpha if claim.correction == "none" else claim.alpha / family
    return stats.paired(*paired_outcomes(case.arms, case.panel), 1 - share).score_interval


def paired_outcomes(
    arms: tuple[RunRecord, RunRecord], panel: PanelComparison
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both arms' outcomes on the paired tasks, in one order."""
    a, b = (panel_outcomes(run, one) for run in arms for one in run.panels if one.suite == panel.suite)
    return a.restricted(panel.task_ids).matrix, b.restricted(panel.task_ids).matrix
