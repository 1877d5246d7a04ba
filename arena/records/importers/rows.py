"""Episodes and panels made of what an importer read of each trial."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.errors import RecordError
from arena.records.episode import Episode
from arena.records.importers.imported import Imported, Options, Published, Unreadable
from arena.records.importers.reading import Source
from arena.records.outcome import Execution, Grade, Limit
from arena.records.run import Panel
from arena.records.scores import THRESHOLD, UNUSUAL
from arena.spec.canonical import canonical_json
from arena.spec.factors import UNRECORDED, Scalar
from arena.spec.sample import ids_digest

MOST_REPLICATES = 1000
MOST_EPISODES = 1_000_000
RATE = "resolved/scored"
REWARD = "reward_1/scored"
"""For forms that give a reward, of which only 1 is a success: the definition of arena's own terminal suites."""


@dataclass(frozen=True)
class Outcome:
    """Both axes of a trial; without a grade, why."""

    execution: Execution = "unrecorded"
    limit: Limit | None = None
    grade: Grade = "unscored"
    reason: str | None = None


@dataclass(frozen=True)
class Trial:
    """What a source says of one trial of one task."""

    task: str
    outcome: Outcome
    place: str
    """Where it stands in the source."""
    replicate: int | None = None
    """From 1; without it trials of one task are counted in the order of `order` and of reading."""
    attempt: int = 1
    order: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Further columns of its episode."""


@dataclass(frozen=True)
class Planned:
    """What a source says of its plan."""

    suite: str
    """The source's own name for it."""
    tasks: tuple[str, ...] = ()
    """Planned tasks that are named, those with trials included or not."""
    replicates: int | None = None
    """Trials planned for each task; none where the source does not say: then as many as there are of each."""
    unnamed: int = 0
    """Further planned trials whose tasks are not named."""
    score_definition: str = RATE


@dataclass
class Findings:
    """What an importer gathers besides trials."""

    source: Source
    options: Options
    unreadable: list[Unreadable] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    known: dict[str, Scalar] = field(default_factory=dict)
    published: list[Published] = field(default_factory=list)

    def damaged(self, error: RecordError | str) -> None:
        """Enter what could not be read: `place: reason`."""
        place, _, reason = str(error).partition(": ")
        self.unreadable.append(Unreadable(place, reason))

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def knows(self, path: str, value: Scalar) -> None:
        """Enter a factor that the source states; none and an empty text state nothing."""
        if value is not None and value != "":
            self.known[path] = value

    def suite(self, own: str) -> str:
        return self.options.suite or own


def imported(
    name: str, found: Findings, parts: Sequence[tuple[Planned, Sequence[Trial]]], score_names: tuple[str, ...]
) -> Imported:
    """Return what was read as panels and episodes."""
    panels: list[Panel] = []
    episodes: list[Episode] = []
    for plan, trials in parts:
        panel, rows = _panel(plan, trials, found)
        if panel is not None:
            panels.append(panel)
            episodes.extend(rows)
    suites = [panel.suite for panel in panels]
    if len(set(suites)) != len(suites):
        raise RecordError(
            f"{found.source.root}: holds {len(suites)} panels under the one name {suites[0]!r}; import them one by one"
        )
    return Imported(
        format=name,
        source=str(found.source.root),
        episodes=tuple(episodes),
        panels=tuple(panels),
        score_names=score_names,
        unreadable=tuple(found.unreadable),
        notes=tuple(found.notes),
        known=dict(found.known),
        published=tuple(found.published),
        files=dict(sorted(found.source.files.items())),
    )


def priced(cost: float | None) -> float | None:
    """Return a cost; 0 is what several programs write for a model without a price, and is none."""
    return cost or None


def factor_key(key: str) -> str:
    """Return a name as a part of a factor's path."""
    return canonical_json(key) if "." in key or '"' in key else key


def from_reward(
    reward: float | None,
    options: Options,
    execution: Execution,
    limit: Limit | None = None,
    failed: str | None = None,
) -> Outcome:
    """Grade a reward: 1 passes and 0 fails.

    What lies between fails where only 1 is a success, which `failed`, the reason of a 0, says; elsewhere it is neither
    pass nor failure. `pass_at` decides otherwise.
    """
    if reward is None:
        return Outcome(execution, limit, "unscored", "no_reward")
    if options.pass_at is not None and 0 < reward < 1:
        passes = reward >= options.pass_at
        return Outcome(execution, limit, "pass" if passes else "fail", None if passes else failed or UNRECORDED)
    if reward == 1:
        return Outcome(execution, limit, "pass")
    if reward == 0:
        return Outcome(execution, limit, "fail", failed or UNRECORDED)
    strict = failed is not None and 0 < reward < 1
    return Outcome(execution, limit, "fail" if strict else "unscored", f"{UNUSUAL} {reward:g}")


def _panel(plan: Planned, trials: Sequence[Trial], found: Findings) -> tuple[Panel | None, list[Episode]]:
    trials, named = _inside(plan, trials, found)
    placed = _placed(trials)
    own = {task: max((place[0] for place in there), default=0) for task, there in placed.items()}
    most = max(own.values(), default=1)
    replicates = max(plan.replicates or most, most)
    if replicates > MOST_REPLICATES:
        raise RecordError(f"{found.source.root}: {replicates} trials of one task; {MOST_REPLICATES} can be read")
    if plan.replicates and most > plan.replicates:
        task = max(own, key=lambda task: own[task])
        raise RecordError(
            f"{found.source.root}: {plan.replicates} trials of each task were planned, and {task!r} has {most}"
        )
    wanted = {task: max(plan.replicates or own.get(task, 1) or 1, own.get(task, 0)) for task in named}
    if (len(wanted) + plan.unnamed) * replicates > MOST_EPISODES:
        raise RecordError(f"{found.source.root}: more than {MOST_EPISODES} planned trials; such a plan cannot be read")
    wanted |= {f"(not named {number})": 1 for number in range(1, plan.unnamed + 1)}
    if not wanted:
        return None, []
    panel = Panel(
        suite=found.suite(plan.suite),
        sample=found.options.sample or "imported",
        sample_digest=ids_digest(wanted),
        task_ids=tuple(wanted),
        replicates=replicates,
        score_definition=_definition(plan, found.options),
        absent=tuple((task, extra) for task, count in wanted.items() for extra in range(count + 1, replicates + 1)),
    )
    rows = [
        _episode(trial, panel, replicate, attempt)
        for there in placed.values()
        for (replicate, attempt), trial in sorted(there.items())
    ]
    return panel, rows


def _inside(plan: Planned, trials: Sequence[Trial], found: Findings) -> tuple[Sequence[Trial], dict[str, None]]:
    """Return the trials of planned tasks, and those tasks in order."""
    tasks = found.options.tasks
    if tasks is None:
        return trials, dict.fromkeys((*plan.tasks, *(trial.task for trial in trials)))
    outside = [trial for trial in trials if trial.task not in set(tasks)]
    if outside:
        found.note(f"{len(outside)} trials are of tasks outside the sample and are left out, such as {outside[0].task}")
    if len(outside) == len(trials):
        raise RecordError(f"{found.source.root}: none of its {len(trials)} trials is of the sample's tasks")
    return [trial for trial in trials if trial.task in set(tasks)], dict.fromkeys(tasks)


def _placed(trials: Iterable[Trial]) -> dict[str, dict[tuple[int, int], Trial]]:
    """Return the trials of each task by replicate and attempt; refuse two at one place."""
    placed: dict[str, dict[tuple[int, int], Trial]] = {}
    for trial in sorted(trials, key=lambda trial: (trial.task, trial.order)):
        there = placed.setdefault(trial.task, {})
        place = trial.replicate if trial.replicate is not None else 1 + len(there), trial.attempt
        if place in there:
            raise RecordError(
                f"{trial.place}: a second trial of {trial.task!r}, replicate {place[0]}, after {there[place].place}"
            )
        there[place] = trial
    return placed


def _definition(plan: Planned, options: Options) -> str:
    given = "" if options.pass_at is None else f", {THRESHOLD} {options.pass_at:g}"
    return plan.score_definition + given


def _episode(trial: Trial, panel: Panel, replicate: int, attempt: int) -> Episode:
    return replace(
        _BLANK,
        suite=panel.suite,
        sample_digest=panel.sample_digest,
        task=trial.task,
        replicate=replicate,
        attempt=attempt,
        execution=trial.outcome.execution,
        limit=trial.outcome.limit,
        grade=trial.outcome.grade,
        reason=trial.outcome.reason,
        score_definition=panel.score_definition,
        **trial.facts,
    )


_BLANK = Episode(
    cell=UNRECORDED,
    plan_digest=UNRECORDED,
    suite=UNRECORDED,
    sample_digest=UNRECORDED,
    task=UNRECORDED,
    group=UNRECORDED,
    tier=UNRECORDED,
    replicate=1,
    attempt=1,
    execution="unrecorded",
    limit=None,
    grade="unscored",
    reason=None,
    score_definition=UNRECORDED,
    tokens_in=None,
    tokens_cached=None,
    tokens_out=None,
    turns=None,
    working_s=None,
    waiting_s=None,
    cost=None,
    delegations=None,
    parent_episode=None,
    started_at=None,
    system_digest=UNRECORDED,
    harness_digest=UNRECORDED,
    environment_digest=UNRECORDED,
    weights_digest=UNRECORDED,
    patch_digest=None,
    training_seed=None,
    limits_kind=UNRECORDED,
    grader_version=UNRECORDED,
    log_file="",
    sample_id="",
)
