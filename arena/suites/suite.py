"""What a suite of tasks is to the rest of the arena."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena.suites.environment import BubblewrapEnvironment, DockerEnvironment


@dataclass(frozen=True)
class SuiteTask:
    """One task: what the agent is told, and what only the grader sees."""

    id: str
    prompt: str
    """The text that the agent is given: the issue, or the instruction."""
    workdir: str
    """The task's own folder inside the sandbox, such as `/testbed`."""
    group: str
    """What the task belongs to (its repository); clusters for sensitivity analyses."""
    tier: str
    """Difficulty as the suite names it; reported by tier."""
    timeout_s: float | None = None
    """The suite's own limit on the agent's wall time, or none."""
    solution: str | None = None
    """A bash script that solves the task when run in its folder; none where `grading["patch"]` is the solution."""
    grading: Mapping[str, object] = field(default_factory=dict)
    """For the scorer alone (SWE-bench's row, say); never shown to the agent."""


class Suite(Protocol):
    """A source of tasks. Built by `module:function` or by one of the built-in names, with no arguments."""

    name: str
    scorer: str
    """The scorer's `module:function`, such as `scorers.swe_bench:scorer`."""
    score_definition: str
    """The name of the score, such as `resolved/scored`."""

    def digest(self) -> str:
        """Return the sha256 of everything that a task's outcome can depend on in this suite."""
        ...

    def ids(self) -> Sequence[str]:
        """Return every task id of the suite's pool, sorted."""
        ...

    def samples(self) -> Mapping[str, Sequence[str]]:
        """Return the named samples of ids that ship with the suite (`all` is always there)."""
        ...

    def tasks(self, ids: Sequence[str]) -> Sequence[SuiteTask]:
        """Return the tasks with these ids, in this order; raises `CellError` for an unknown id."""
        ...

    def environment(self, task: SuiteTask) -> BubblewrapEnvironment | DockerEnvironment:
        """Return where the agent works on `task`; builds what it needs, cached by digest."""
        ...

    def grading_environment(self, task: SuiteTask) -> BubblewrapEnvironment | DockerEnvironment:
        """Return the fresh place where `task` is graded after the agent."""
        ...
