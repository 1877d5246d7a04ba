"""The suite `mini_swe`: real defects in small repositories, in SWE-bench's row format."""

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import yaml

from arena.errors import CellError, SandboxError
from arena.suites.environment import BubblewrapEnvironment, HostTree
from arena.suites.mini_swe import python
from arena.suites.mini_swe.cache import built_once, cache_folder
from arena.suites.mini_swe.definition import repository
from arena.suites.mini_swe.evaluation import TESTBED
from arena.suites.mini_swe.git import archive, build
from arena.suites.mini_swe.rows import MiniSweRow, task_states
from arena.suites.suite import SuiteTask
from arena.suites.swe_bench import read_rows

FOLDER = Path(__file__).parent
ROWS = FOLDER / "tasks.jsonl"
GIT = Path("/usr/bin/git")


def suite() -> "MiniSwe":
    return MiniSwe()


class MiniSwe:
    name = "mini_swe"
    scorer = "scorers.swe_bench:scorer"
    score_definition = "resolved/scored"

    def digest(self) -> str:
        """Return the sha256 of all rows: base commits, patches, tests, issues and evaluation scripts are in them."""
        rows = [row.model_dump(mode="json") for row in self._rows.values()]
        return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()

    def ids(self) -> Sequence[str]:
        return sorted(self._rows)

    def samples(self) -> Mapping[str, Sequence[str]]:
        pinned: dict[str, list[str]] = yaml.safe_load((FOLDER / "samples.yaml").read_text(encoding="utf8"))
        tiers = {
            tier: [name for name in self.ids() if self._rows[name].tier == tier] for tier in ("tier1", "tier2", "tier3")
        }
        return {"all": self.ids(), **tiers, **pinned}

    def tasks(self, ids: Sequence[str]) -> Sequence[SuiteTask]:
        return [_task(self.row(name)) for name in ids]

    def row(self, name: str) -> MiniSweRow:
        """Return the SWE-bench row of a task; raises `CellError` for an unknown id."""
        if name not in self._rows:
            raise CellError(f"mini_swe has no task {name!r}; its ids run from {self.ids()[0]} to {self.ids()[-1]}")
        return self._rows[name]

    def environment(self, task: SuiteTask) -> BubblewrapEnvironment:
        if not GIT.is_file():
            raise SandboxError(f"mini_swe: no git at {GIT}, where sandboxes look for it; install git")
        archived = HostTree(source=str(self._archive(task.id)), target=TESTBED, mode="copy")
        return BubblewrapEnvironment(trees=(archived, *python.trees()), env=(*python.variables(), *_VARIABLES))

    def grading_environment(self, task: SuiteTask) -> BubblewrapEnvironment:
        return self.environment(task)

    @cached_property
    def _rows(self) -> Mapping[str, MiniSweRow]:
        return {row.instance_id: row for row in read_rows(ROWS, MiniSweRow)}

    def _archive(self, name: str) -> Path:
        row = self.row(name)
        target = cache_folder() / "mini_swe" / f"{name}-{row.base_commit[:16]}.tar"
        return built_once(target, lambda path: _build_archive(row, path))


_VARIABLES = (
    ("LANG", "C.UTF-8"),
    ("TZ", "UTC"),
    # The work tree need not belong to the agent's user, who has no name of their own either.
    ("GIT_CONFIG_COUNT", "3"),
    ("GIT_CONFIG_KEY_0", "safe.directory"),
    ("GIT_CONFIG_VALUE_0", TESTBED),
    ("GIT_CONFIG_KEY_1", "user.name"),
    ("GIT_CONFIG_VALUE_1", "agent"),
    ("GIT_CONFIG_KEY_2", "user.email"),
    ("GIT_CONFIG_VALUE_2", "agent@localhost"),
)


def _task(row: MiniSweRow) -> SuiteTask:
    return SuiteTask(
        id=row.instance_id,
        prompt=row.problem_statement,
        workdir=TESTBED,
        group=row.repo,
        tier=row.tier,
        grading=row.columns(),
    )


def _build_archive(row: MiniSweRow, target: Path) -> None:
    name, number = row.instance_id.removeprefix("mini__").rsplit("-", 1)
    written = repository(FOLDER / "repositories" / name)
    states = task_states(written, written.tasks[number], row.FAIL_TO_PASS)
    with tempfile.TemporaryDirectory() as folder:
        base = build(Path(folder), written.history.author, states)
        if base != row.base_commit:
            raise SandboxError(
                f"{row.instance_id}: its repository came out at {base}, its row says {row.base_commit}; "
                "after a change run `python -m arena.suites.mini_swe.build --write`"
            )
        archive(Path(folder), target)
