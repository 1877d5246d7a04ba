"""One panel's result: every count, rate and interval that is published of it, computed from its episodes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

import stats
from arena.errors import RecordError
from arena.records.run import Panel, RunRecord
from arena.report.discordance import Discordance, discordance
from arena.report.outcomes import NOT_RECORDED, PanelOutcomes, Place, belongs, ended, panel_outcomes
from arena.report.usage import Attempts, Usage, attempts_of, usage_of
from arena.suites.calibration import SampleShift, sample_shift
from stats import Interval

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
    calibration: SampleShift | None
    """What public systems score on these tasks against the whole pool; none where nothing public is known."""

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
        attempts=attempts_of(outcomes),
        usage=usage_of(outcomes),
        calibration=_calibration(panel),
    )


def _calibration(panel: Panel) -> SampleShift | None:
    found = sample_shift(panel.task_ids)
    return found if found is not None and found.tasks < found.pool else None


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
