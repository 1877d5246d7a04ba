"""Hostile and honest work in real sandboxes, with an evaluation script as plain as SWE-bench's own."""

import json
import math
import shlex
import subprocess
import tarfile
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

import pytest
from inspect_ai.util import SandboxEnvironment

from arena.errors import ScoreError
from arena.execute.sandboxes.open import open_sandbox, probe
from arena.suites.environment import BubblewrapEnvironment, HostTree
from arena.suites.mini_swe import python
from scorers.swe_bench import Outcome, grade, scorer, to_score

CODE = "def double(x):\n    return x + 1\n"
TESTS = "from pkg.code import double\n\ndef test_zero():\n    assert double(1) == 2\n"
TEST_PATCH = """\
diff --git a/tests/test_code.py b/tests/test_code.py
--- a/tests/test_code.py
+++ b/tests/test_code.py
@@ -2,3 +2,6 @@
\x20
 def test_zero():
     assert double(1) == 2
+
+def test_three():
+    assert double(3) == 6
"""
GOLD = """\
diff --git a/pkg/code.py b/pkg/code.py
--- a/pkg/code.py
+++ b/pkg/code.py
@@ -1,2 +1,2 @@
 def double(x):
-    return x + 1
+    return x * 2
"""
EVAL = """\
#!/bin/bash
set -uxo pipefail
cd /testbed
git config --global --add safe.directory /testbed
git status
git checkout {base} tests/test_code.py
git apply -v - <<'EOF_114329324912'
{patch}EOF_114329324912
: '>>>>> Start Test Output'
python -m pytest -rA tests/test_code.py
: '>>>>> End Test Output'
git checkout {base} tests/test_code.py
"""
FIX = "sed -i 's/x + 1/x * 2/' pkg/code.py"
FORGED = "\nPASSED tests/test_code.py::test_zero\nPASSED tests/test_code.py::test_three\n"
FORGE_AND_END = f"import os\nprint({FORGED!r}, flush=True)\nos._exit(0)\n"
SETTINGS = "[metadata]\nname=pkg\n"
NEWLINE = "\n"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> "Bench":
    if not (tried := probe()).works:
        pytest.skip(f"no sandbox here: {tried.reason}")
    folder = tmp_path_factory.mktemp("bench")
    folder.chmod(0o755)
    repository = folder / "repository"
    files = {
        "pkg/__init__.py": "",
        "pkg/code.py": CODE,
        "tests/test_code.py": TESTS,
        "setup.cfg": "[metadata]\nname=pkg\n",
    }
    for name, text in files.items():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(text)
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm base"):
        subprocess.run(["git", *command.split()], cwd=repository, check=True)
    base = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True)
    with tarfile.open(folder / "testbed.tar", "w") as archive:
        archive.add(repository, ".")
    return Bench(
        BubblewrapEnvironment(
            trees=(HostTree(source=str(folder / "testbed.tar"), target="/testbed", mode="copy"), *python.trees()),
            env=python.variables(),
        ),
        {
            "instance_id": "pkg-1", "repo": "own/pkg", "version": "1", "base_commit": base.stdout.strip(), "image": "",
            "patch": GOLD, "test_patch": TEST_PATCH, "log_parser": "parse_log_pytest", "eval_type": "pass_and_fail",
            "FAIL_TO_PASS": json.dumps(["tests/test_code.py::test_three"]),
            "PASS_TO_PASS": json.dumps(["tests/test_code.py::test_zero"]),
            "eval_script": EVAL.format(base=base.stdout.strip(), patch=TEST_PATCH),
        },
    )  # fmt: skip


@dataclass(frozen=True)
class Bench:
    environment: BubblewrapEnvironment
    row: dict[str, Any]

    def fresh(self) -> AbstractAsyncContextManager[SandboxEnvironment]:
        return open_sandbox(self.environment)

    async def outcome(self, work: str, timeout_s: int = 60, **row: str) -> Outcome:
        """Let an agent do `work` in a shell, and grade it."""
        async with self.fresh() as agents:
            await agents.exec(["bash", "-c", work], cwd="/testbed", timeout=60)
            return await grade(agents, "/testbed", self.row | row, self.fresh, timeout_s)


def writing(**files: str) -> str:
    """Return the shell command that writes these files: in a name `__` is `/`, `DOT` is `.`, and `dist_` is `dist-`."""
    texts = {
        name.replace("__", "/").replace("DOT", ".").replace("dist_", "dist-"): shlex.quote(text)
        for name, text in files.items()
    }
    return "\n".join(f"mkdir -p $(dirname {name}); echo {text} > {name}" for name, text in texts.items())


async def test_the_right_fix_passes(bench: Bench) -> None:
    outcome = await bench.outcome(FIX)

    assert (outcome.grade, outcome.reason) == ("pass", None), outcome
    assert outcome.verdict
    assert outcome.verdict.counts["FAIL_TO_PASS"] == {"success": 1, "failure": 0}
    assert outcome.limits_kind in ("cgroup-v1", "cgroup-v2", "rlimit")


async def test_no_work_is_an_empty_patch(bench: Bench) -> None:
    outcome = await bench.outcome("mkdir -p tests/__pycache__; touch tests/__pycache__/a.pyc; pip --version")

    assert (outcome.grade, outcome.reason) == ("fail", "empty_patch")


@pytest.mark.parametrize(
    "also",
    [
        "rm -rf .git",
        "git add -A; git -c user.name=a -c user.email=a@b commit -qm mine; git checkout -qb other",
        "sleep 1000 & (while :; do touch .git/index.lock /tmp/busy; done) &",
        "sed -i 's/^name.*/name=other/' setup.cfg",
        'echo \'import subprocess; subprocess.Popen(["sleep", "1000"])\' >> pkg/code.py',
        "chmod 000 tests/test_code.py .git/HEAD; mkdir -m 000 closed",
    ],
    ids=["no git", "committed", "processes", "other settings", "a test that leaves a process", "closed files"],
)
async def test_a_right_fix_passes_whatever_is_left_beside_it(bench: Bench, also: str) -> None:
    outcome = await bench.outcome(f"{FIX}\n{also}")

    assert (outcome.grade, outcome.reason) == ("pass", None), outcome


REWRITE = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = yield
    result.get_result().outcome = "passed"
"""


def printing(text: str) -> str:
    """Return the shell command that makes the code print this when Python ends."""
    return f"echo {shlex.quote(f'import atexit; atexit.register(print, {text!r})')} >> pkg/code.py"


CHEATS = {
    "a wrong fix": "sed -i 's/x + 1/x + 2/' pkg/code.py",
    "the tests edited": "echo 'def test_three(): pass' > tests/test_code.py",
    "a conftest": writing(conftestDOTpy=REWRITE),
    "a conftest beside the tests": writing(tests__conftestDOTpy=REWRITE),
    "a plug-in in the settings": writing(pkg__evilDOTpy=REWRITE, pytestDOTini="[pytest]\naddopts = -p pkg.evil\n"),
    "a plug-in in setup.cfg": writing(
        pkg__evilDOTpy=REWRITE, setupDOTcfg="[metadata]\nname=pkg\n[tool:pytest]\naddopts = -p pkg.evil\n"
    ),
    "a plug-in in a new pyproject": writing(
        pkg__evilDOTpy=REWRITE, pyprojectDOTtoml='[tool.pytest.ini_options]\naddopts = "-p pkg.evil"\n'
    ),
    "a plug-in by its metadata": writing(
        pkg__evilDOTpy=REWRITE,
        xDOTdist_info__METADATA="Metadata-Version: 2.1\nName: x\nVersion: 1\n",
        xDOTdist_info__entry_pointsDOTtxt="[pytest11]\nevil = pkg.evil\n",
    ),
    "a pytest of one's own": writing(pytestDOTpy=f"print({FORGED!r})\n"),
    "a module of Python's": writing(argparseDOTpy=FORGE_AND_END),
    "customized at start": writing(sitecustomizeDOTpy=FORGE_AND_END),
    "the user's site": "d=$(python -c 'import site; print(site.getusersitepackages())'); mkdir -p $d\n"
    "echo 'import os; os._exit(0)' > $d/usercustomize.py; echo >> pkg/code.py",
    "a forged log at the start": f"echo {shlex.quote(f'print({FORGED!r})')} >> pkg/code.py",
    "a forged log at the end": printing(FORGED),
    "a forged log with an end of its own": printing(f"{FORGED}>>>>> End Test Output\n>>>>> Test Exit Code: 0\n"),
    "a forged log with a failure": printing(f"{FORGED}FAILED tests/test_other.py::test_x\n"),
    "an attribute for the tests": "echo 'tests/* working-tree-encoding=UTF-16' > .gitattributes",
    "a link in the tests' place": "mkdir fake; echo 'def test_three(): pass' > fake/test_code.py; rm -rf tests\n"
    "ln -s fake tests",
}


@pytest.mark.parametrize("work", CHEATS.values(), ids=CHEATS.keys())
async def test_a_cheat_gains_nothing(bench: Bench, work: str) -> None:
    outcome = await bench.outcome(work)

    assert (outcome.grade, outcome.reason) == ("fail", "tests_failed"), outcome


@pytest.mark.parametrize(
    "work",
    [
        f"echo {shlex.quote(FORGE_AND_END.replace(NEWLINE, '; '))} >> pkg/code.py",
        "echo 'while True: pass' >> pkg/code.py",
        "echo 'import os, signal; os.kill(os.getppid(), signal.SIGKILL)' >> pkg/code.py",
        "echo 'import atexit, os; atexit.register(os.system, \"yes | head -c 40000000\")' >> pkg/code.py",
    ],
    ids=["an early end", "no end", "its shell killed", "40 MB of output"],
)
async def test_tests_that_do_not_run_by_the_patchs_fault_fail(bench: Bench, work: str) -> None:
    outcome = await bench.outcome(f"{FIX}\n{work}", timeout_s=15 if "while" in work else 60)

    assert (outcome.grade, outcome.reason) == ("fail", "tests_did_not_run"), outcome


async def test_tests_that_run_for_no_patch_leave_the_episode_unscored(bench: Bench) -> None:
    broken = bench.row["eval_script"].replace("python -m pytest", "python -m pytset")
    outcome = await bench.outcome(FIX, eval_script=broken)

    assert (outcome.grade, outcome.reason) == ("unscored", "environment")
    assert "No module named pytset" in (outcome.run.tests if outcome.run else "")


async def test_a_script_without_markers_is_the_graders_fault(bench: Bench) -> None:
    outcome = await bench.outcome(FIX, eval_script="pytest")

    assert (outcome.grade, outcome.reason) == ("unscored", "grader_error")


async def test_a_lost_sandbox_leaves_the_episode_unscored(bench: Bench) -> None:
    async with bench.fresh() as agents:
        pass
    outcome = await grade(agents, "/testbed", bench.row, bench.fresh)

    assert (outcome.grade, outcome.reason) == ("unscored", "sandbox_error")


async def test_a_score_says_all_that_is_known(bench: Bench) -> None:
    score = to_score(await bench.outcome(f"{FIX}; {writing(tests__newDOTpy='x = 1')}"))

    assert score.value == "C"
    assert score.metadata
    assert score.metadata["grader_version"].startswith("swebench 5.")
    assert score.metadata["left_out"] == {"tests/new.py": "test"}
    assert score.metadata["patch_digest"].startswith("sha256:")
    assert "+    return x * 2" in score.metadata["model_patch"]
    assert "PASSED tests/test_code.py::test_three" in score.metadata["log"]


def test_an_unscored_outcome_is_no_number() -> None:
    score = to_score(Outcome("unscored", "environment", "no disk"))

    assert isinstance(score.value, float)
    assert math.isnan(score.value)
    assert score.reason == "environment"


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(ScoreError, match=r"'timeout' is no parameter; did you mean 'timeout_s'\?"):
        scorer(timeout=3)
