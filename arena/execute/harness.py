"""A harness as data: what an agent is told, what it may use, where it starts and when it is stopped.

A solver is `module:function`; called with the cell's `harness.with` it returns a `Harness`. A plug-in takes a harness
and returns another. The agent itself is built from the finished harness, afresh for every episode. Nothing here
imports Inspect: prompts and tool schemas go into a plan without it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from inspect_ai.agent import Agent
    from inspect_ai.tool import Tool


@dataclass(frozen=True)
class HarnessTool:
    """A tool as the model sees it, and how to build it."""

    name: str
    description: str
    parameters: Mapping[str, object]
    """JSON schema of the arguments (`type: object`)."""
    build: "Callable[[Harness], Tool]" = field(repr=False)


@dataclass(frozen=True)
class Limits:
    """When an episode is stopped; each one is an outcome of its own. None is no limit."""

    messages: int | None = None
    tokens: int | None = None
    turns: int | None = None
    wall_s: float | None = None
    working_s: float | None = None
    cost: float | None = None
    """In the price table's currency."""


@dataclass(frozen=True)
class Harness:
    name: str
    prompt: str
    """The system message; `{task_folder}` stands for the task's own folder."""
    tools: tuple[HarnessTool, ...]
    limits: Limits
    agent: "Callable[[Harness], Agent]" = field(repr=False)
    """Builds the agent; called once for each episode."""
    workdir: str | None = None
    """Where commands start: none for the sandbox's default, `task` for the task's own folder, or a path."""
    command_timeout_s: int = 60
    output_chars: int = 4000
    """A tool's output is cut to this many characters, keeping its head and its tail."""
    notes: Mapping[str, str] = field(default_factory=dict)


class Solver(Protocol):
    def __call__(self, **parameters: object) -> Harness: ...


class Plugin(Protocol):
    def __call__(self, harness: Harness) -> Harness: ...
