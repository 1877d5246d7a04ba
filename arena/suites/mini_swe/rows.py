"""`tasks.jsonl`: the tasks as SWE-bench rows, made from what is written down by running its tests."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from arena.errors import UsageError
from arena.suites.mini_swe.definition import Repository, Task, Tier, Tree
from arena.suites.mini_swe.evaluation import LOG_PARSER, PYTEST, TEST_SECONDS, difference, eval_script
from arena.suites.mini_swe.git import build
from arena.suites.mini_swe.history import Snapshot, snapshots, with_defect, without_tests
from arena.suites.swe_bench import SweBenchRow


class MiniSweRow(SweBenchRow):
    """A SWE-bench row with two columns of this suite's own."""

    tier: Tier
    family: str
    """The defect's family, in tier 1."""


def make_rows(repository: Repository) -> list[MiniSweRow]:
    """Return a repository's rows; which tests fail and pass is found by running them with and without each defect."""
    sound = passing_tests(repository.tree)
    odd = sorted(name for name in sound if name.split() != [name])
    if odd:
        raise UsageError(f"{repository.name}: log parsers cannot read test names with blanks; give ids: {odd}")
    return [_row(repository, number, task, sound) for number, task in repository.tasks.items()]


def _row(repository: Repository, number: str, task: Task, sound: set[str]) -> MiniSweRow:
    wrong = with_defect(repository.tree, task.defect)
    maintained = sound & passing_tests(wrong)
    broken = sound - maintained
    if not broken:
        raise UsageError(f"{repository.name}/{number}: no test of the repository notices the defect; write one")
    with tempfile.TemporaryDirectory() as folder:
        base = build(Path(folder), repository.history.author, task_states(repository, task, broken))
    test_patch = difference(without_tests(wrong, broken), wrong)
    return MiniSweRow(
        instance_id=repository.instance_id(number),
        repo=f"mini/{repository.name}",
        base_commit=base,
        patch=difference(wrong, repository.tree),
        test_patch=test_patch,
        problem_statement=task.issue.strip() + "\n",
        created_at=repository.history.commits[-1].date.strftime("%Y-%m-%dT%H:%M:%SZ"),
        version=repository.history.version,
        FAIL_TO_PASS=tuple(sorted(broken)),
        PASS_TO_PASS=tuple(sorted(maintained)),
        environment_setup_commit=base,
        difficulty=task.difficulty,
        image="",
        eval_script=eval_script(base, test_patch),
        log_parser=LOG_PARSER,
        tier=task.tier,
        family=task.family,
    )


def task_states(repository: Repository, task: Task, hidden: Collection[str]) -> list[Snapshot]:
    """Return the history that the agent is given: the defect in, the tests that notice it out."""
    return snapshots(repository, without_tests(with_defect(repository.tree, task.defect), hidden))


def passing_tests(tree: Tree) -> set[str]:
    """Run the tests of `tree` as the evaluation does and return the node ids of those that pass."""
    from swebench.harness.log_parsers import PARSER_REGISTRY

    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder), tree)
        statuses: Mapping[str, str] = PARSER_REGISTRY[LOG_PARSER](_run_pytest(Path(folder)), None)
    return {name for name, status in statuses.items() if status == "PASSED"}


def write_tree(folder: Path, tree: Tree) -> None:
    for path, text in tree.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf8")


def _run_pytest(folder: Path) -> str:
    command = [sys.executable, *PYTEST.split()[1:], f"--rootdir={folder}", "-o", f"pythonpath={folder}", "tests"]
    environment = {"PATH": os.defpath, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "100", "TZ": "UTC"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TEST_SECONDS, check=False
    )
    if "short test summary info" not in done.stdout:
        raise UsageError(f"pytest did not run in {folder}:\n{done.stdout}{done.stderr}")
    return done.stdout
