"""Attest a suite on this machine: the reference solution must pass and doing nothing must not.

A task that fails this cannot be scored here, for any cell: it is left out with the reason, and the list is the same
for all. The attestation is kept by suite, grader and environments; a new environment needs a new one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arena.errors import HarnessError
from arena.execute.evaluate import Contestant, PanelJob, environment_digest, evaluate
from arena.execute.panels import environment_limits
from arena.execute.progress import Progress
from arena.execute.stopping import Stopping
from arena.records.episode import Episode
from arena.records.logs import LogContext
from arena.records.store import Slot, Store, stage_key
from arena.spec.plugin import load, source_digest
from arena.spec.sample import ids_digest, resolve_sample
from arena.suites.load import load_suite
from arena.suites.suite import Suite, SuiteTask

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer
    from inspect_ai.solver import Generate, Solver, TaskState

NOOP_FILE = "ARENA_NOOP.txt"
"""A file that no program reads: with it the no-op run has a patch, so that the tests are really run."""


@dataclass(frozen=True)
class Attestation:
    """Which tasks can be scored here."""

    key: str
    attested: tuple[str, ...]
    unscorable: Mapping[str, str]
    """Task to reason."""

    @property
    def complete(self) -> bool:
        return not self.unscorable

    def as_json(self) -> dict[str, object]:
        return {"key": self.key, "attested": list(self.attested), "unscorable": dict(self.unscorable)}

    def drawn(self) -> str:
        return said(self)


def attest(
    suite: Suite, tasks: Sequence[SuiteTask], scorer_digest: str, store: Store, stopping: Stopping, progress: Progress
) -> Attestation:
    """Run the reference solution and a no-op on every task, or read what an earlier attestation found."""
    environments = {task.id: environment_digest(suite.environment(task)) for task in tasks}
    inputs = {"suite": suite.digest(), "scorer": scorer_digest, "environments": environments}
    key = stage_key("attest", inputs)
    with store.held("attest", key) as slot:
        record = slot.record
        if record is None:
            progress.stage(f"attest {suite.name}", f"{len(tasks)} tasks, reference solution and no-op ({key[:8]})")
            record = _run(suite, tasks, slot, stopping, progress)
            if stopping.reason():
                return _attestation(key, record)
            slot.finish(inputs, record)
        attestation = _attestation(key, record)
    progress.stage(f"attest {suite.name}", said(attestation))
    return attestation


def said(attestation: Attestation) -> str:
    count = len(attestation.attested) + len(attestation.unscorable)
    text = f"{len(attestation.attested)} of {count} tasks can be scored here"
    return text + "".join(f"\n    {task}: {reason}" for task, reason in attestation.unscorable.items())


def _attestation(key: str, record: Mapping[str, object]) -> Attestation:
    attested = cast(Sequence[str], record["attested"])
    return Attestation(key, tuple(attested), dict(cast(Mapping[str, str], record["unscorable"])))


def _run(
    suite: Suite, tasks: Sequence[SuiteTask], slot: Slot, stopping: Stopping, progress: Progress
) -> dict[str, object]:
    scorer = cast("Callable[[], Scorer]", load(suite.scorer))()
    reference = _episodes(
        suite, tasks, "reference", Contestant(reference_solver, scorer, None), slot, stopping, progress
    )
    noop = _episodes(suite, tasks, "noop", Contestant(noop_solver, scorer, None), slot, stopping, progress)
    reasons = {task.id: _reason(reference.get(task.id), noop.get(task.id)) for task in tasks}
    return {
        "attested": sorted(task for task, reason in reasons.items() if reason is None),
        "unscorable": {task: reason for task, reason in sorted(reasons.items()) if reason is not None},
        "grader_version": next((episode.grader_version for episode in reference.values()), None),
    }


def _reason(reference: Episode | None, noop: Episode | None) -> str | None:
    if reference is None or noop is None:
        return "not attested: the run was stopped"
    if reference.grade != "pass":
        return f"the reference solution does not pass: {reference.grade} ({reference.reason})"
    if noop.grade == "pass":
        return "the tests pass without a solution"
    if noop.grade == "unscored":
        return f"the no-op could not be graded ({noop.reason})"
    return None


def _episodes(
    suite: Suite,
    tasks: Sequence[SuiteTask],
    who: str,
    contestant: Contestant,
    slot: Slot,
    stopping: Stopping,
    progress: Progress,
) -> dict[str, Episode]:
    job = PanelJob(
        suite=suite,
        replicates=(tuple(tasks),),
        retries=1,
        context=LogContext(
            cell=f"attest-{who}",
            plan_digest=slot.key,
            suite=suite.name,
            sample_digest=ids_digest([task.id for task in tasks]),
            score_definition=suite.score_definition,
            system_digest=who,
            harness_digest=who,
            weights_digest="none",
            training_seed=None,
            grader_version="unrecorded",
            limits_kind=environment_limits(suite.environment(tasks[0])),
        ),
        folder=slot.output / who,
        label=f"attest {suite.name}: {who}",
    )
    best: dict[str, Episode] = {}
    for episode in evaluate(job, contestant, stopping, progress):
        if episode.task not in best or not best[episode.task].scored:
            best[episode.task] = episode
    return best


def reference_solver() -> "Solver":
    """Return a solver that applies the task's reference solution."""
    return _script_solver("reference", _reference)


def noop_solver() -> "Solver":
    """Return a solver that changes nothing that matters."""
    return _script_solver("noop", lambda _metadata: (f"echo 'nothing was changed' > {NOOP_FILE}", ""))


def _reference(metadata: Mapping[str, Any]) -> tuple[str, str]:
    if metadata["solution"] is not None:
        return str(metadata["solution"]), ""
    return "git apply --whitespace=nowarn -", str(metadata["grading"]["patch"])


def _script_solver(name: str, script: "Callable[[Mapping[str, Any]], tuple[str, str]]") -> "Solver":
    from inspect_ai.solver import solver
    from inspect_ai.util import sandbox

    @solver(name=f"attest_{name}")
    def outer() -> "Solver":
        async def solve(state: "TaskState", generate: "Generate") -> "TaskState":
            command, given = script(state.metadata)
            folder = str(state.metadata["task_folder"])
            done = await sandbox().exec(["bash", "-c", command], cwd=folder, input=given, timeout=600)
            if not done.success:
                raise HarnessError(f"the {name} run failed with exit code {done.returncode}: {done.stderr[-500:]}")
            return state

        return solve

    return outer()


def attest_suite(name: str, sample: str, runs: Path, stopping: Stopping, progress: Progress) -> Attestation:
    """Attest a sample of a suite by name."""
    suite = load_suite(name)
    drawn = resolve_sample(sample, suite.ids(), suite.samples())
    grader = source_digest(suite.scorer).digest
    return attest(suite, suite.tasks(drawn.ids), grader, Store(runs / "store"), stopping, progress)
