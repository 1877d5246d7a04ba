"""The suite `mini_terminal`: ten tasks of Terminal-Bench 2's format that need bash, coreutils, python3 and git."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from arena.errors import CellError
from arena.suites.environment import BubblewrapEnvironment, HostTree
from arena.suites.mini_swe import python
from arena.suites.mini_swe.cache import built_once, cache_folder
from arena.suites.suite import SuiteTask
from arena.suites.terminal_task import Files, TerminalTask, archive, read_tasks

TASKS = Path(__file__).parent / "tasks"
DIFFICULTIES = ("easy", "medium", "hard")
VERIFIERS = ("/tests", "/logs")
"""Empty while the agent works; the format has the verifier's files there."""

_VARIABLES = (("LANG", "C.UTF-8"), ("TZ", "UTC"))


def suite() -> "MiniTerminal":
    return MiniTerminal()


class MiniTerminal:
    name = "mini_terminal"
    scorer = "scorers.terminal_bench:scorer"
    score_definition = "reward_1/scored"

    def digest(self) -> str:
        """Return the sha256 of all tasks' digests: every file of their folders is in them."""
        digests = {name: task.digest() for name, task in self._tasks.items()}
        return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()

    def ids(self) -> Sequence[str]:
        return sorted(self._tasks)

    def samples(self) -> Mapping[str, Sequence[str]]:
        tiers = {
            tier: [name for name in self.ids() if self._tasks[name].settings.metadata.difficulty == tier]
            for tier in DIFFICULTIES
        }
        return {"all": self.ids(), **tiers}

    def tasks(self, ids: Sequence[str]) -> Sequence[SuiteTask]:
        return [_suite_task(self.task(name)) for name in ids]

    def task(self, name: str) -> TerminalTask:
        """Return a task as its folder has it; raises `CellError` for an unknown id."""
        if name not in self._tasks:
            raise CellError(f"mini_terminal has no task {name!r}; its tasks are {', '.join(self.ids())}")
        return self._tasks[name]

    def environment(self, task: SuiteTask) -> BubblewrapEnvironment:
        held = self.task(task.id)
        given = HostTree(source=str(_archived(held.name, held.environment)), target=held.workdir, mode="copy")
        empty = str(_archived("empty", {}))
        return BubblewrapEnvironment(
            trees=(given, *(HostTree(source=empty, target=path, mode="copy") for path in VERIFIERS), *python.trees()),
            workdir=held.workdir,
            env=(*python.variables(), *_VARIABLES),
            cpus=held.settings.environment.cpus,
            memory_mb=held.memory_mb,
            disk_mb=held.storage_mb,
        )

    def grading_environment(self, task: SuiteTask) -> BubblewrapEnvironment:
        """Return a fresh place like the agent's, to try the solution in where the verifier came to nothing."""
        return self.environment(task)

    @cached_property
    def _tasks(self) -> Mapping[str, TerminalTask]:
        return read_tasks(TASKS)


def _suite_task(task: TerminalTask) -> SuiteTask:
    return SuiteTask(
        id=task.name,
        prompt=task.instruction,
        workdir=task.workdir,
        group=task.settings.metadata.category,
        tier=task.settings.metadata.difficulty,
        timeout_s=task.settings.agent.timeout_sec,
        solution=task.solve,
        grading=task.grading(),
    )


def _archived(name: str, files: Files) -> Path:
    content = archive(files)
    key = hashlib.sha256(content).hexdigest()[:16]
    target = cache_folder() / "mini_terminal" / f"{name}-{key}.tar"

    def build(path: Path) -> None:
        path.write_bytes(content)

    return built_once(target, build)
