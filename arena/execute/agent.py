"""From a harness to the Inspect solver that runs one episode, and to the data that a plan pins."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arena.errors import ArenaError, HarnessError, SandboxError, ServeError, boundary
from arena.execute.episode_key import EpisodeKey, in_episode
from arena.execute.harness import Harness, Plugin, Solver
from arena.spec.plugin import load

if TYPE_CHECKING:
    import inspect_ai.solver
    from inspect_ai.solver import Generate, TaskState
    from inspect_ai.tool import ToolDef


def build_harness(
    spec: str, parameters: Mapping[str, object], plugins: Sequence[str] = (), folder: Path | None = None
) -> Harness:
    """Return the harness of the solver `spec`, called with `parameters`, after every plug-in in its order.

    Modules of the user's own are looked for in `folder`, the cell's, and above it.

    Raises
    ------
    HarnessError
        The solver or a plug-in raised, refused its parameters, or gave back something that is no harness.
    """
    with boundary(HarnessError, f"solver {spec}"):
        harness = _harness(cast(Solver, load(spec, folder))(**parameters), f"solver {spec}")
    for name in plugins:
        with boundary(HarnessError, f"plug-in {name}"):
            harness = _harness(cast(Plugin, load(name, folder))(harness), f"plug-in {name}")
    return harness


def _harness(given: object, whose: str) -> Harness:
    if not isinstance(given, Harness):
        raise HarnessError(f"{whose}: returned {type(given).__name__}, not a Harness; see docs/harnesses.md")
    names = [tool.name for tool in given.tools]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise HarnessError(f"{whose}: more than one tool is called {', '.join(twice)}; a tool's name must be its own")
    return given


def resolved(harness: Harness) -> dict[str, Any]:
    """Return all of a harness that its model or its outcome can depend on, as JSON, for the plan."""
    return {
        "name": harness.name,
        "prompt": harness.prompt,
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in harness.tools
        ],
        "limits": asdict(harness.limits),
        "workdir": harness.workdir,
        "command_timeout_s": harness.command_timeout_s,
        "output_chars": harness.output_chars,
        "notes": dict(harness.notes),
    }


def task_limits(harness: Harness) -> dict[str, Any]:
    """Return the limits that Inspect's task enforces; the wall's is `episode_solver`'s: grading has its own time."""
    limits = harness.limits
    given = {
        "message_limit": limits.messages,
        "token_limit": limits.tokens,
        "turn_limit": limits.turns,
        "working_limit": None if limits.working_s is None else ceil(limits.working_s),
        "cost_limit": limits.cost,
    }
    return {name: value for name, value in given.items() if value is not None}


def inspect_tools(harness: Harness) -> "dict[str, ToolDef]":
    """Return the harness's tools for Inspect, by name, with the very schemas that `resolved` shows."""
    from inspect_ai.tool import ToolDef, ToolParams

    return {
        tool.name: ToolDef(
            tool.build(harness),
            name=tool.name,
            description=tool.description,
            parameters=ToolParams.model_validate(tool.parameters),
            max_output=0,
        )
        for tool in harness.tools
    }


def episode_solver(harness: Harness) -> "inspect_ai.solver.Solver":
    """Return the Inspect solver that runs one episode: its key set, its agent built afresh, its end given a type.

    Raises
    ------
    ServeError, SandboxError, HarnessError
        What ended the episode, where nothing that the model did ended it; Inspect records it on the sample.
    """
    from inspect_ai.solver import solver

    @solver(name="episode")
    def outer() -> "inspect_ai.solver.Solver":
        async def solve(state: "TaskState", generate: "Generate") -> "TaskState":
            with in_episode(episode_key(state)):
                try:
                    state = await _run(harness, state, generate)
                except Exception as error:
                    typed = _typed(error)
                    if typed is error:
                        raise
                    raise typed from error
            _refuse_overflow(state)
            return state

        return solve

    return outer()


def episode_key(state: "TaskState") -> EpisodeKey:
    said = state.metadata
    return EpisodeKey(
        suite=str(said["suite"]),
        task=str(state.sample_id),
        replicate=int(said["replicate"]),
        attempt=int(said["attempt"]),
        parent=said.get("parent_episode"),
    )


async def _run(harness: Harness, state: "TaskState", generate: "Generate") -> "TaskState":
    from inspect_ai.agent import as_solver

    folder = str(state.metadata["task_folder"])
    ready = replace(
        harness,
        prompt=harness.prompt.replace("{task_folder}", folder),
        workdir=folder if harness.workdir == "task" else harness.workdir,
    )
    agent = as_solver(ready.agent(ready))
    with _wall(harness.limits.wall_s, state.metadata.get("timeout_s")):
        return await agent(state, generate)


def _wall(harness_s: float | None, task_s: float | None) -> AbstractContextManager[Any]:
    from inspect_ai.util import time_limit

    given = [limit for limit in (harness_s, task_s) if limit is not None]
    return time_limit(min(given)) if given else nullcontext()


def _refuse_overflow(state: "TaskState") -> None:
    """End the episode by limit `context`: the agent gave up because its model could read no more."""
    from inspect_ai.util import LimitExceededError

    if state.output.choices and state.output.stop_reason == "model_length":
        usage = state.output.usage
        raise LimitExceededError(
            cast(Any, "context"),  # a type that Inspect's logs have and its exception does not name
            value=usage.input_tokens if usage else 0,
            limit=-1,
            message="The conversation no longer fits the model's context, shortened or not.",
        )


def _typed(error: Exception) -> Exception:
    """Return the error as the boundary's type that it crossed; what Inspect itself handles stays what it is."""
    from inspect_ai.util import LimitExceededError

    cause = _innermost(error)
    if isinstance(cause, LimitExceededError | ArenaError) or type(cause).__name__ == "TerminateSampleError":
        return cause
    kind, what = _boundary_of(cause)
    return kind(f"{what}: {type(cause).__name__}: {cause}")


def _innermost(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


_BOUNDARIES: tuple[tuple[str, type[ArenaError], str], ...] = (
    ("inspect_ai/model/_model.py", ServeError, "the model did not answer"),
    ("inspect_ai/util/_sandbox/", SandboxError, "the sandbox failed"),
    ("arena/execute/sandboxes/", SandboxError, "the sandbox failed"),
)


def _boundary_of(error: BaseException) -> tuple[type[ArenaError], str]:
    """Return whose code was called last on the way to the error."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame.f_code.co_filename.replace("\\", "/"))
        trace = trace.tb_next
    for file in reversed(frames):
        for part, kind, what in _BOUNDARIES:
            if part in file:
                return kind, what
    return HarnessError, "the agent failed"
