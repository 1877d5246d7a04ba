"""Evaluate a panel: every task of its sample, replicate by replicate, and only what is not scored yet.

The logs are the truth. What has been scored is read from them; what a killed process left is recovered first; an
unscored episode is tried again as often as the cell allows, and the first grade counts.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import HarnessError
from arena.execute.engines.local import Attempt, recover, run_attempt, work_folder
from arena.execute.progress import Progress
from arena.execute.stopping import Stopping
from arena.records.episode import Episode
from arena.records.logbook import Logbook
from arena.records.logs import LogContext
from arena.records.outcome import Execution
from arena.spec.canonical import digest_of
from arena.suites.environment import BubblewrapEnvironment, DockerEnvironment
from arena.suites.suite import Suite, SuiteTask

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.model import Model
    from inspect_ai.scorer import Scorer
    from inspect_ai.solver import Solver

NO_ATTEMPT: frozenset[Execution] = frozenset({"cancelled", "not_run_budget", "pending"})
"""Outcomes that say nothing of the system: they use up none of the tries that a cell allows."""


@dataclass(frozen=True)
class Contestant:
    """What is put before the tasks: a served model in a harness, and its grader."""

    solver: "Callable[[], Solver]"
    scorer: "Scorer"
    model: "Callable[[Path], Model] | None"
    """Given the file for the calls' record; none for a run that calls no model."""
    limits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PanelJob:
    """A panel of one run, ready to be worked on."""

    suite: Suite
    replicates: tuple[tuple[SuiteTask, ...], ...]
    """The tasks of each replicate."""
    retries: int
    context: LogContext
    folder: Path
    """The run's folder; logs go to `evals/<suite>/r<R>/a<A>.eval` below it."""
    concurrency: int = 4
    label: str = "evaluate"
    """What progress calls it."""
    tick: Callable[[], None] = lambda: None
    """Called after every episode."""

    @property
    def planned(self) -> int:
        return sum(len(tasks) for tasks in self.replicates)

    def due(self) -> bool:
        """Whether any place still needs an episode."""
        return any(due_tasks(self, replicate) for replicate in range(1, len(self.replicates) + 1))

    @property
    def logbook(self) -> Logbook:
        return Logbook(self.folder)


def evaluate(job: PanelJob, contestant: Contestant, stopping: Stopping, progress: Progress) -> tuple[Episode, ...]:
    """Run what the panel still lacks and return every episode that its logs hold."""
    for replicate in range(1, len(job.replicates) + 1):
        while (due := due_tasks(job, replicate)) and stopping.reason() is None:
            _attempt(job, contestant, stopping, progress, replicate, due)
            if stopping.reason() is None and due_tasks(job, replicate) == due:
                raise HarnessError(f"{job.label} r{replicate}: an attempt ended without running any of its episodes")
    return recorded(job)


def recorded(job: PanelJob) -> tuple[Episode, ...]:
    """Return every episode in the panel's logs, by replicate and attempt."""
    return tuple(
        episode for replicate in range(1, len(job.replicates) + 1) for episode in _recorded_replicate(job, replicate)
    )


def due_tasks(job: PanelJob, replicate: int) -> list[tuple[SuiteTask, int]]:
    """Return the tasks that still need an episode in this replicate, each with the number of the coming attempt."""
    episodes = _recorded_replicate(job, replicate)
    scored = {episode.task for episode in episodes if episode.scored}
    tries = Counter(episode.task for episode in episodes if episode.execution not in NO_ATTEMPT)
    seen = Counter(episode.task for episode in episodes)
    return [
        (task, seen[task.id] + 1)
        for task in job.replicates[replicate - 1]
        if task.id not in scored and tries[task.id] <= job.retries
    ]


def replicate_folder(job: PanelJob, replicate: int) -> Path:
    return job.folder / "evals" / replicate_folder_name(job.context.suite) / f"r{replicate}"


def _recorded_replicate(job: PanelJob, replicate: int) -> list[Episode]:
    folder = replicate_folder(job, replicate)
    for left in sorted(folder.glob(".a*.running")):
        recover(folder / f"{left.name.removeprefix('.').removesuffix('.running')}.eval")
    return list(job.logbook.episodes(folder))


def _attempt(
    job: PanelJob,
    contestant: Contestant,
    stopping: Stopping,
    progress: Progress,
    replicate: int,
    due: Sequence[tuple[SuiteTask, int]],
) -> None:
    log = _next_log(replicate_folder(job, replicate))
    name = f"{job.label} r{replicate}"
    passed: list[str | None] = []

    def on_episode(_task: str, grade: str | None) -> None:
        job.tick()
        passed.append(grade)
        scored = [grade for grade in passed if grade in ("pass", "fail")]
        progress.step(name, len(passed), len(due), f"episodes, {scored.count('pass')} of {len(scored)} scored pass")

    run_attempt(
        Attempt(
            context=job.context,
            samples=[_sample(job, task, replicate, number) for task, number in due],
            solver=contestant.solver(),
            scorer=contestant.scorer,
            model=contestant.model(log.with_suffix(".calls.arrows")) if contestant.model else None,
            limits=contestant.limits,
            log=log,
            concurrency=job.concurrency,
            stopping=stopping,
            on_episode=on_episode,
        )
    )
    entered = job.logbook.enter(log)
    if entered.error is not None:
        progress.stage(name, f"Inspect ended the attempt: {entered.error[:500]}")
    for error in entered.errors:
        progress.stage(name, f"an episode ended with {error[:500]}")


def _next_log(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    taken = [int(path.stem.removeprefix("a")) for path in folder.glob("a*.eval")]
    log = folder / f"a{max(taken, default=0) + 1}.eval"
    assert not work_folder(log).exists()
    return log


def _sample(job: PanelJob, task: SuiteTask, replicate: int, attempt: int) -> "Sample":
    from inspect_ai.dataset import Sample

    from arena.execute.sandboxes.open import sandbox_spec

    environment = job.suite.environment(task)
    return Sample(
        id=task.id,
        input=task.prompt,
        sandbox=sandbox_spec(environment),
        metadata={
            "suite": job.context.suite,
            "task_folder": task.workdir,
            "group": task.group,
            "tier": task.tier,
            "replicate": replicate,
            "attempt": attempt,
            "environment_digest": environment_digest(environment),
            "timeout_s": task.timeout_s,
            "solution": task.solution,
            "grading": dict(task.grading),
            "grading_environment": job.suite.grading_environment(task).model_dump(mode="json"),
        },
    )


def environment_digest(environment: BubblewrapEnvironment | DockerEnvironment) -> str:
    """Return the digest of an environment, in which a folder of the host counts by its name and not by its place."""
    data = environment.model_dump(mode="json")
    for tree in data.get("trees", ()):
        tree["source"] = Path(tree["source"]).name
    return digest_of(data)


def with_context(job: PanelJob, **changes: Any) -> PanelJob:
    """Return the job with parts of its logs' context replaced."""
    return replace(job, context=replace(job.context, **changes))


def replicate_folder_name(name: str) -> str:
    """Return a suite's name as its folder has it."""
    return name.replace(":", ".").replace("/", ".")
