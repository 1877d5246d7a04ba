"""What a run of the tests says of a patch, by swebench's own grading."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

from scorers.evaluation import END, START, Evaluated, cut_script

EXIT_CODE = ">>>>> Test Exit Code"

SUMMARY = ("PASSED", "SKIPPED", "XFAIL", "ERROR", "FAILED")

Finding = Literal["resolved", "tests_failed", "tests_did_not_run"]


@dataclass(frozen=True)
class Verdict:
    finding: Finding
    detail: str = ""
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """FAIL_TO_PASS and PASS_TO_PASS → success and failure → how many tests."""


def grader_version() -> str:
    from importlib.metadata import version

    return f"swebench {version('swebench')}"


def judge(row: Mapping[str, Any], run: Evaluated) -> Verdict:
    """Grade a run: swebench must find the log resolved, and pytest's own report must bear it out.

    swebench believes whatever line the log has. A log that says more than pytest's report is forged; where the tests
    are run by pytest and there is no report, the session never came to its end, whatever was printed and returned.
    """
    if run.exit_code is None:
        return Verdict("tests_did_not_run", "the tests did not end in time")
    printed = report_on(row, graded_log(run.tests, run.exit_code))
    try:
        seen = None if run.report is None else report_on(row, graded_log(report_lines(run.report), run.exit_code))
    except ET.ParseError as damage:
        return Verdict("tests_did_not_run", f"pytest's report cannot be read: {damage}", _counts(printed))
    if seen is None and cut_script(str(row["eval_script"])).runs_pytest:
        return Verdict("tests_did_not_run", "pytest's session did not come to its end", _counts(printed))
    if seen is not None and _ran(seen) and not seen["resolved"]:
        forged = printed["resolved"] or not _ran(printed)
        return Verdict("tests_failed", "the log says otherwise than pytest's report" if forged else "", _counts(seen))
    if not _ran(printed):
        return Verdict("tests_did_not_run", printed.get("infra_failure_reason") or "the log has no test results")
    return Verdict("resolved" if printed["resolved"] else "tests_failed", "", _counts(printed))


def _ran(report: Mapping[str, Any]) -> bool:
    """Say whether swebench found results of tests, which it calls a patch that applied."""
    return bool(report["patch_successfully_applied"])


def graded_log(tests: str, exit_code: int) -> str:
    """Return a log as swebench reads it, in which the tests' own output can be taken for no marker."""
    said = tests.replace(">>>>>", "> > >")
    return f"{START}\n{said}\n{END}\n{EXIT_CODE}: {exit_code}\n"


def report_lines(report: bytes) -> str:
    """Return pytest's JUnit report as the lines of its `-rA` summary, in the summary's order.

    The order counts: where a parser takes two tests for one, such as `test[a b]` and `test[a c]`, the later line holds.
    """
    lines = []
    for case in ET.fromstring(report).iter("testcase"):
        file = case.get("file")
        if file is None:
            continue
        module = file.removesuffix(".py").replace("/", ".")
        classes = case.get("classname", "").removeprefix(module).strip(".")
        name = "::".join([file, *(part for part in classes.split(".") if part), case.get("name", "")])
        lines.append(f"{_status(case)} {name}")
    return "\n".join(sorted(lines, key=lambda line: SUMMARY.index(line.partition(" ")[0])))


def _status(case: ET.Element) -> str:
    if case.find("failure") is not None:
        return "FAILED"
    if any("teardown" not in error.get("message", "") for error in case.findall("error")):
        return "ERROR"
    skipped = case.find("skipped")
    if skipped is None:
        return "PASSED"
    return "XFAIL" if skipped.get("type") == "pytest.xfail" else "SKIPPED"


def report_on(row: Mapping[str, Any], log: str) -> dict[str, Any]:
    """Return swebench's report on a log."""
    from swebench.harness.grading import get_eval_report
    from swebench.harness.utils import make_test_spec

    name = row["instance_id"]
    prediction = {"instance_id": name, "model_name_or_path": "arena", "model_patch": "given"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "test_output.txt")
        file.write_text(log, encoding="utf8", errors="replace")
        reports: dict[str, dict[str, Any]] = get_eval_report(make_test_spec(dict(row)), prediction, str(file), True)
    return reports[name]


def _counts(report: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    tests = report.get("tests_status", {})
    return {
        kind: {way: len(names) for way, names in tests[kind].items()}
        for kind in ("FAIL_TO_PASS", "PASS_TO_PASS")
        if kind in tests
    }
