"""One panel's result: every count, rate and interval that is published of it, computed from its episodes."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

import stats
from arena.errors import RecordError
from arena.records.episode import Episode
from arena.records.run import RunRecord
from arena.report.outcomes import NOT_RECORDED, PanelOutcomes, Place, belongs, ended, first_graded, panel_outcomes
from stats import Interval

TOO_ALIKE_P = 0.01
"""Replicates that agree with less than this chance are suspected to be copies."""

PanelStatus = Literal["complete", "partial", "not started"]


@dataclass(frozen=True)
class Slice:
    """A part of a panel: one tier, or one replicate."""

    name: str
    planned: int
    scored: int
    passed: int
    unscored: int
    rate: float | None
    wilson_pooled: Interval | None
    bracket: Interval


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


@dataclass(frozen=True)
class Usage:
    """What a panel's attempts used, all of them. Null where nothing was recorded."""

    tokens_in: int | None
    tokens_cached: int | None
    tokens_out: int | None
    turns: int | None
    working_s: float | None
    waiting_s: float | None
    cost: float | None
    """Null unless every attempt has a price."""
    delegations: int


@dataclass(frozen=True)
class Attempts:
    """How often episodes were run again. Only unscored ones may be."""

    total: int
    rerolled: int
    """Places that needed more than one attempt."""
    share: float | None
    """Of the places with an episode."""
    graded_again: int
    """Attempts made at a place that had a grade already; they do not count."""


@dataclass(frozen=True)
class PanelResult:
    suite: str
    sample: str
    sample_digest: str
    score_definition: str
    tasks: int
    replicates: int
    unscorable: Mapping[str, str]
    """Tasks of the sample that cannot be scored here, for no cell, and why; they are not planned."""
    status: PanelStatus
    planned: int
    ended: int
    """Episodes that came to an end of their own or have a grade."""
    scored: int
    passed: int
    failed: int
    unscored: int
    rate: float | None
    """passed / scored; null when nothing was scored."""
    wilson_pooled: Interval | None
    """Takes every episode as independent: too narrow with more than one replicate."""
    wilson_neff: Interval | None
    """With the effective number of episodes, since runs of one task are not independent."""
    n_eff: float | None
    bracket: Interval
    """[passed / planned, (passed + unscored) / planned]."""
    fail_reasons: Mapping[str, int]
    unscored_reasons: Mapping[str, int]
    executions: Mapping[str, int]
    """How the counting episodes ended; `not_recorded` for those that the plan still lacks."""
    unscored_executions: Mapping[str, int]
    """How the recorded ones without a grade ended."""
    limits: Mapping[str, int]
    by_tier: tuple[Slice, ...]
    by_replicate: tuple[Slice, ...]
    discordance: Discordance
    attempts: Attempts
    usage: Usage

    @property
    def label(self) -> str:
        return f"{self.suite}/{self.sample}"

    @property
    def completeness(self) -> str:
        return self.status if self.status != "partial" else f"partial ({self.ended} of {self.planned})"


def panel_results(run: RunRecord) -> tuple[PanelResult, ...]:
    """Return the result of every panel of a run; raises `RecordError` for episodes that no panel planned."""
    stray = [e for e in run.episodes if e.parent_episode is None and not any(belongs(e, p) for p in run.panels)]
    if stray:
        raise RecordError(
            f"{run.folder}: {len(stray)} episodes of {stray[0].suite} (sample {stray[0].sample_digest[:8]}) "
            "belong to no panel of run.json; rebuild the run's index"
        )
    return tuple(panel_result(panel_outcomes(run, panel)) for panel in run.panels)


def panel_result(outcomes: PanelOutcomes) -> PanelResult:
    """Compute everything that is published of a panel."""
    panel = outcomes.panel
    counting = outcomes.counting.values()
    score = stats.score(outcomes.matrix, planned=panel.planned)
    done = sum(ended(episode) for episode in counting)
    return PanelResult(
        suite=panel.suite,
        sample=panel.sample,
        sample_digest=panel.sample_digest,
        score_definition=panel.score_definition,
        tasks=len(panel.task_ids),
        replicates=panel.replicates,
        unscorable=dict(panel.unscorable),
        status=_status(done, panel.planned, bool(outcomes.attempts)),
        planned=panel.planned,
        ended=done,
        scored=score.scored,
        passed=score.passed,
        failed=score.scored - score.passed,
        unscored=score.unscored,
        rate=score.rate,
        wilson_pooled=score.wilson_pooled,
        wilson_neff=score.wilson_neff,
        n_eff=score.n_eff,
        bracket=score.bracket,
        fail_reasons=_tally(e.reason or "unrecorded" for e in counting if e.grade == "fail"),
        unscored_reasons=_unscored_reasons(outcomes),
        executions=_tally(_execution(outcomes, place) for place in outcomes.places),
        unscored_executions=_tally(e.execution for e in counting if not e.scored),
        limits=_tally(e.limit or "unrecorded" for e in counting if e.execution == "limit"),
        by_tier=_slices(outcomes, _tiers(outcomes)),
        by_replicate=_slices(outcomes, lambda place: str(place[1])),
        discordance=discordance(outcomes),
        attempts=_attempts(outcomes),
        usage=_usage([episode for attempts in outcomes.attempts.values() for episode in attempts]),
    )


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


def _status(done: int, planned: int, started: bool) -> PanelStatus:
    if not started:
        return "not started"
    return "complete" if done == planned else "partial"


def _tally(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _execution(outcomes: PanelOutcomes, place: Place) -> str:
    episode = outcomes.counting.get(place)
    return NOT_RECORDED if episode is None else episode.execution


def _unscored_reasons(outcomes: PanelOutcomes) -> dict[str, int]:
    missing = len(outcomes.places) - len(outcomes.counting)
    reasons = _tally(e.reason or e.execution for e in outcomes.counting.values() if not e.scored)
    return reasons | ({NOT_RECORDED: missing} if missing else {})


def _tiers(outcomes: PanelOutcomes) -> Callable[[Place], str]:
    tiers = {task: attempts[0].tier for (task, _), attempts in outcomes.attempts.items()}
    return lambda place: tiers.get(place[0], "unrecorded")


def _slices(outcomes: PanelOutcomes, name_of: Callable[[Place], str]) -> tuple[Slice, ...]:
    grades: dict[str, list[float]] = {}
    for place in outcomes.places:
        grades.setdefault(name_of(place), []).append(outcomes.grade(place))
    return tuple(_slice(name, grades[name]) for name in sorted(grades, key=_natural))


def _natural(name: str) -> tuple[int, str]:
    """Order replicates by number and tiers by name."""
    return (int(name) if name.isdecimal() else 0), name


def _slice(name: str, grades: Sequence[float]) -> Slice:
    values = np.asarray(grades)
    scored = int(np.isfinite(values).sum())
    passed = int(np.nansum(values))
    return Slice(
        name=name,
        planned=len(values),
        scored=scored,
        passed=passed,
        unscored=len(values) - scored,
        rate=passed / scored if scored else None,
        wilson_pooled=stats.wilson(passed, scored) if scored else None,
        bracket=stats.bracket(passed, scored, len(values)),
    )


def _attempts(outcomes: PanelOutcomes) -> Attempts:
    lists = outcomes.attempts.values()
    rerolled = sum(len(attempts) > 1 for attempts in lists)
    again = sum(len(attempts) - 1 - attempts.index(first_graded(attempts)) for attempts in lists)
    return Attempts(
        total=sum(len(attempts) for attempts in lists),
        rerolled=rerolled,
        share=rerolled / len(lists) if lists else None,
        graded_again=again,
    )


def _usage(attempts: Sequence[Episode]) -> Usage:
    """Add up what is recorded; a cost with a gap is null, since a partial sum would pass for the whole."""
    costs = [episode.cost for episode in attempts]
    return Usage(
        tokens_in=_total(e.tokens_in for e in attempts),
        tokens_cached=_total(e.tokens_cached for e in attempts),
        tokens_out=_total(e.tokens_out for e in attempts),
        turns=_total(e.turns for e in attempts),
        working_s=_seconds(e.working_s for e in attempts),
        waiting_s=_seconds(e.waiting_s for e in attempts),
        cost=_seconds(costs) if None not in costs else None,
        delegations=sum(e.delegations for e in attempts),
    )


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _seconds(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None
