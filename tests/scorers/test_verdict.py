import json
import subprocess
import sys
from typing import Any

import pytest
from swebench.harness.log_parsers import PARSER_REGISTRY

from scorers.evaluation import Evaluated, cut_script
from scorers.verdict import judge, report_lines

ODD = """
import unittest
import pytest

@pytest.mark.parametrize("x", ["a b", "a/b", "a::b", "[x]", "ü", "", "a.b", "/p/q", "http://h", "1-2", "x" * 200])
def test_ids(x):
    pass

class TestOuter:
    class TestInner:
        def test_deep(self):
            assert 1 == 2, "a - b"

    @pytest.mark.xfail
    def test_expected(self):
        assert False

    @pytest.mark.skip(reason="no")
    def test_skipped(self):
        pass

@pytest.fixture
def broken():
    raise ValueError

def test_broken_fixture(broken):
    pass

@pytest.fixture
def broken_after():
    yield
    raise ValueError

def test_broken_afterwards(broken_after):
    pass

class TestCase(unittest.TestCase):
    def test_method(self):
        print("FAILED x")
"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """Return the log and the report of a session of odd tests."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "sub dir").mkdir()
    for place in ("test_odd.py", "sub dir/test_more.py"):
        (folder / place).write_text(ODD)
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "--rootdir=.", "-c", "/dev/null"]
    options = ["--junitxml=report.xml", "-o", "junit_family=xunit1"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    return done.stdout, (folder / "report.xml").read_bytes()


@pytest.mark.parametrize("parser", ["parse_log_pytest", "parse_log_pytest_options", "parse_log_pytest_v2"])
def test_pytests_report_and_its_log_say_the_same_of_every_test(odd: tuple[str, bytes], parser: str) -> None:
    log, report = odd
    printed = PARSER_REGISTRY[parser](log.split("short test summary info")[1], None)
    seen = PARSER_REGISTRY[parser](report_lines(report), None)

    # an error after a test's end stands beside its pass in the log; the parsers do not agree on the names of errors
    certain = {name for name, status in printed.items() if status != "ERROR" and "broken_afterwards" not in name}
    assert {name: printed[name] for name in certain} == {name: seen[name] for name in certain}
    assert len(certain) >= 15
    assert {status for name, status in seen.items() if "broken_afterwards" in name} == {"PASSED"}
    assert "ERROR" in seen.values()


ROW: dict[str, Any] = {
    "instance_id": "a-1", "repo": "a/a", "version": "1", "image": "", "log_parser": "parse_log_pytest",
    "eval_type": "pass_and_fail", "FAIL_TO_PASS": json.dumps(["t.py::test_new"]),
    "PASS_TO_PASS": json.dumps(["t.py::test_old"]),
    "eval_script": "before\n: '>>>>> Start Test Output'\npytest -rA t.py\n: '>>>>> End Test Output'\nafter\n",
}  # fmt: skip


def run(new: str, old: str, code: int | None, report: tuple[str, str] | None) -> Evaluated:
    inner = {"PASSED": "", "FAILED": "<failure/>"}
    cases = "".join(
        f'<testcase classname="t" file="t.py" name="{name}">{inner[status]}</testcase>'
        for name, status in zip(("test_new", "test_old"), report or (), strict=False)
    )
    xml = None if report is None else f"<testsuites>{cases}</testsuites>".encode()
    return Evaluated(code, f"{new} t.py::test_new\n{old} t.py::test_old\n", "", xml, {})


@pytest.mark.parametrize(
    ("given", "finding"),
    [
        (run("PASSED", "PASSED", 0, ("PASSED", "PASSED")), "resolved"),
        (run("PASSED", "FAILED", 1, ("PASSED", "FAILED")), "tests_failed"),
        (run("PASSED", "PASSED", 0, ("FAILED", "PASSED")), "tests_failed"),
        (run("PASSED", "PASSED", 1, ("FAILED", "PASSED")), "tests_failed"),
        (run("PASSED", "PASSED", 0, ("PASSED",)), "tests_failed"),  # type: ignore[arg-type]
        (run("PASSED", "PASSED", 1, ("PASSED", "PASSED")), "tests_did_not_run"),
        (run("PASSED", "PASSED", 0, None), "tests_did_not_run"),
        (run("PASSED", "PASSED", None, ("PASSED", "PASSED")), "tests_did_not_run"),
        (run("", "", 2, ()), "tests_did_not_run"),  # type: ignore[arg-type]
    ],
)
def test_a_log_counts_as_far_as_pytests_report_and_its_exit_code_bear_it_out(given: Evaluated, finding: str) -> None:
    assert judge(ROW, given).finding == finding


def test_where_another_runner_runs_the_tests_its_log_and_exit_code_decide() -> None:
    row = ROW | {"eval_script": ROW["eval_script"].replace("pytest -rA t.py", "bin/test -C t.py")}

    assert judge(row, run("PASSED", "PASSED", 0, None)).finding == "resolved"
    assert judge(row, run("PASSED", "PASSED", 1, None)).finding == "tests_did_not_run"


def test_a_damaged_report_is_none() -> None:
    damaged = Evaluated(0, "PASSED t.py::test_new\nPASSED t.py::test_old\n", "", b"<testsuites>", {})

    assert judge(ROW, damaged).finding == "tests_did_not_run"


def test_a_script_is_cut_at_its_markers() -> None:
    script = cut_script(ROW["eval_script"])

    assert (script.before, script.tests, script.after) == ("before\n", "pytest -rA t.py\n", "after\n")
    assert script.files == {"pytest", "-rA", "t.py"}


def test_a_script_that_installs_runs_the_setup_script() -> None:
    script = cut_script(ROW["eval_script"].replace("before", "python -m pip install -e ."))

    assert "setup.py" in script.files
