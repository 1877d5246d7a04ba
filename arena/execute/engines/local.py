"""Run one attempt at a replicate in this process: an Inspect task of our samples, model, agent and scorer.

Whatever Inspect does not know by itself goes in here: when no further episode may start, what a sample's summary must
say for its row, and where the log ends up whole.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import HarnessError, RecordError, boundary
from arena.execute.stopping import Stopping
from arena.records.calls import finish
from arena.records.logs import CONTEXT_KEY, LogContext

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.model import Model
    from inspect_ai.scorer import SampleScore, Scorer
    from inspect_ai.solver import Solver
    from inspect_ai.util import EarlyStop


class BudgetInterruptedError(Exception):
    """The budget ended while an episode was running."""


@dataclass(frozen=True)
class Attempt:
    """One attempt at one replicate of a panel: the tasks that still need an episode."""

    context: LogContext
    samples: "Sequence[Sample]"
    solver: "Solver"
    scorer: "Scorer"
    model: "Model | None"
    limits: Mapping[str, Any]
    """Inspect's own limit arguments."""
    log: Path
    """Where the finished log is to lie: `…/a<A>.eval`."""
    concurrency: int
    stopping: Stopping
    grace_s: float = 30.0
    """How long an episode in flight may go on after the deadline."""
    on_episode: Callable[[str, str | None], None] = lambda _id, _grade: None


def run_attempt(attempt: Attempt) -> None:
    """Run the samples and leave one log; a killed process leaves its folder for `recover`.

    Raises
    ------
    HarnessError
        Inspect could not run the task at all; a failing episode is data and raises nothing.
    """
    from inspect_ai import eval as inspect_eval

    work = work_folder(attempt.log)
    work.mkdir(parents=True)
    with boundary(HarnessError, f"running {attempt.context.suite}"):
        inspect_eval(
            _task(attempt),
            model=attempt.model,
            log_dir=str(work),
            log_format="eval",
            display="none",
            max_samples=attempt.concurrency,
            max_sandboxes=attempt.concurrency,
            fail_on_error=False,
            ctl_server=False,
            acp_server=False,
            **attempt.limits,
        )
    collect(attempt.log)


def work_folder(log: Path) -> Path:
    """Return the folder where Inspect writes while the attempt runs."""
    return log.with_name(f".{log.stem}.running")


def collect(log: Path) -> None:
    """Move the one log of an attempt from its work folder to its place."""
    work = work_folder(log)
    for written in sorted(work.glob("*.eval")):
        written.replace(log)
    shutil.rmtree(work)


def finish_calls(log: Path) -> None:
    """Make the record of calls that a killed attempt left a finished one."""
    calls = log.with_suffix(".calls.arrows")
    if calls.exists():
        finish(calls)


def recover(log: Path) -> None:
    """Make the log of an attempt that was killed: what was flushed, and what Inspect's buffer still holds."""
    from inspect_ai.log import recover_eval_log

    work = work_folder(log)
    for written in sorted(work.glob("*.eval")):
        try:
            recover_eval_log(str(written), output=str(written), overwrite=True)
        except Exception as nothing:
            # a log that is already complete has nothing to recover: the process died between writing and moving it
            if type(nothing).__name__ != "RecoveryNotAvailable":
                raise RecordError(
                    f"{written}: what a killed run left cannot be recovered ({nothing}); "
                    "move it away, and its episodes are run anew"
                ) from nothing
    finish_calls(log)
    collect(log)


def _task(attempt: Attempt) -> "Task":
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset

    return Task(
        name=attempt.context.suite,
        dataset=MemoryDataset(list(attempt.samples), name=attempt.context.suite),
        solver=_until_deadline(attempt.solver, attempt.stopping, attempt.grace_s),
        scorer=_recording(attempt.scorer),
        early_stopping=_Gate(attempt),
        metadata={CONTEXT_KEY: asdict(attempt.context)},
    )


def _until_deadline(inner: "Solver", stopping: Stopping, grace_s: float) -> "Solver":
    from inspect_ai.solver import Generate, TaskState, solver

    @solver(name="arena_episode")
    def outer() -> "Solver":
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            import time

            import anyio

            if stopping.deadline_s is None:
                return await inner(state, generate)
            left = stopping.deadline_s + grace_s - time.time()
            with anyio.move_on_after(max(0.0, left)) as scope:
                return await inner(state, generate)
            assert scope.cancelled_caught
            raise BudgetInterruptedError(f"the budget ended {grace_s:.0f} s before this episode did")

        return solve

    return outer()


def _recording(inner: "Scorer") -> "Scorer":
    """Add to each score what a row needs and only the finished state knows."""
    from inspect_ai.model import ChatMessageAssistant
    from inspect_ai.scorer import Score, Target, mean, scorer
    from inspect_ai.solver import TaskState

    @scorer(metrics=[mean()], name="arena_score")
    def outer() -> "Scorer":
        async def score(state: TaskState, target: Target) -> Score | None:
            given = await inner(state, target)
            if given is None:
                return None
            turns = sum(isinstance(message, ChatMessageAssistant) for message in state.messages)
            delegations = int(state.store.get("delegations", 0))
            return given.model_copy(
                update={"metadata": {**(given.metadata or {}), "turns": turns, "delegations": delegations}}
            )

        return score

    return outer()


@dataclass
class _Gate:
    """Inspect's early stopping, asked before each sample: it is how a budget or the user ends a panel."""

    attempt: Attempt

    async def start_task(self, task: "EvalSpec", samples: "list[Sample]", epochs: int) -> str:
        return "arena"

    async def schedule_sample(self, id: str | int, epoch: int) -> "EarlyStop | None":  # noqa: A002 - Inspect's name
        from inspect_ai.util import EarlyStop

        reason = self.attempt.stopping.reason()
        return EarlyStop(id=id, epoch=epoch, reason=reason) if reason else None

    async def complete_sample(self, id: str | int, epoch: int, scores: "dict[str, SampleScore]") -> None:  # noqa: A002
        said = next((score.score.metadata or {} for score in scores.values()), {})
        self.attempt.on_episode(str(id), said.get("grade"))

    async def complete_task(self) -> dict[str, Any]:
        return {}
