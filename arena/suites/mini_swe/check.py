"""The two-way check: with its gold patch a task is resolved, with none or with half of it it is not."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from arena.suites.mini_swe.definition import Repository
from arena.suites.mini_swe.evaluation import TEST_SECONDS, TESTBED
from arena.suites.mini_swe.git import build, git
from arena.suites.mini_swe.rows import MiniSweRow, task_states


def findings(repository: Repository, row: MiniSweRow) -> list[str]:
    """Return what is wrong with a task, or nothing."""
    found = []
    if not resolved(repository, row, row.patch):
        found.append(f"{row.instance_id}: its gold patch does not resolve it")
    if resolved(repository, row, ""):
        found.append(f"{row.instance_id}: it is resolved with nothing done")
    parts = file_patches(row.patch)
    if len(parts) > 1:
        found += [
            f"{row.instance_id}: a part of the gold patch resolves it alone:\n{part}"
            for part in parts
            if resolved(repository, row, part)
        ]
    return found


def file_patches(patch: str) -> list[str]:
    """Return a patch's parts, one a file."""
    return ["diff --git " + part for part in patch.split("diff --git ")[1:]]


def resolved(repository: Repository, row: MiniSweRow, patch: str) -> bool:
    """Say whether swebench finds `row` resolved by `patch`."""
    return bool(report(row, evaluation_log(repository, row, patch))["resolved"])


def evaluation_log(repository: Repository, row: MiniSweRow, patch: str) -> str:
    """Build the task's repository in a temporary folder, apply `patch`, and return what the evaluation printed.

    This runs on the host with no sandbox, so it is for patches that are trusted.
    """
    from swebench.harness.utils import make_test_spec

    task = repository.tasks[row.instance_id.rsplit("-", 1)[1]]
    with tempfile.TemporaryDirectory() as folder:
        testbed, tools = Path(folder, "testbed"), Path(folder, "bin")
        testbed.mkdir()
        tools.mkdir()
        build(testbed, repository.history.author, task_states(repository, task, row.FAIL_TO_PASS))
        if patch:
            git(testbed, "apply", "-", stdin=patch.encode())
        python = tools / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        script = make_test_spec(row.columns()).eval_script.replace(TESTBED, str(testbed))
        done = subprocess.run(
            ["/bin/bash", "-c", script],
            env={"PATH": f"{tools}:/usr/bin:/bin", "HOME": folder},
            capture_output=True,
            text=True,
            timeout=2 * TEST_SECONDS,
            check=False,
        )
        return done.stdout.replace(str(testbed), TESTBED)


def report(row: MiniSweRow, log: str) -> dict[str, Any]:
    """Return swebench's report on a log."""
    from swebench.harness.grading import get_eval_report
    from swebench.harness.utils import make_test_spec

    prediction = {"instance_id": row.instance_id, "model_name_or_path": "check", "model_patch": "-"}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(log)
        file.flush()
        reports: dict[str, dict[str, Any]] = get_eval_report(make_test_spec(row.columns()), prediction, file.name, True)
    return reports[row.instance_id]
