"""Stored logs of SWE-bench's tests, graded again by swebench's own parsers."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

from arena.errors import RecordError, boundary
from arena.records.importers.patches import Verdict
from arena.records.importers.reading import entries
from arena.records.importers.rows import Findings
from arena.suites.swe_bench import SweBenchRow, read_rows

LOG, PATCH = "test_output.txt", "patch.diff"


def graded_again(folder: Path, rows: Path, found: Findings) -> dict[str, Verdict]:
    """Return the verdict on every instance below `folder` that has its log, its patch and a row."""
    known = {row.instance_id: row for row in read_rows(rows, SweBenchRow)}
    verdicts: dict[str, Verdict] = {}
    without: list[str] = []
    for instance in [folder] if (folder / LOG).is_file() else [one for one in entries(folder) if one.is_dir()]:
        if not (instance / LOG).is_file() or not (instance / PATCH).is_file():
            continue
        if instance.name not in known:
            without.append(instance.name)
            continue
        try:
            verdicts[instance.name] = _verdict(instance, known[instance.name], found)
        except RecordError as damage:
            found.damaged(damage)
    if without:
        found.note(f"{len(without)} logs have no row in {rows.name} and were not graded again, such as {without[0]}")
    found.note(f"{len(verdicts)} logs were graded again with swebench {version('swebench')}")
    return verdicts


def _verdict(instance: Path, row: SweBenchRow, found: Findings) -> Verdict:
    log = instance / LOG
    patch = found.source.text(instance / PATCH)
    found.source.text(log)
    report = _report(row, patch, log)
    if report["resolved"]:
        return Verdict("resolved", str(log))
    if report.get("infra_failure"):
        return Verdict("infra", str(log), f"infra: {report.get('infra_failure_reason')}")
    if not patch.strip():
        return Verdict("empty", str(log))
    return Verdict("unresolved", str(log), "tests_failed" if report["patch_successfully_applied"] else None)


def _report(row: SweBenchRow, patch: str, log: Path) -> dict[str, Any]:
    from swebench.harness.grading import get_eval_report
    from swebench.harness.utils import make_test_spec

    prediction = {"instance_id": row.instance_id, "model_name_or_path": "imported", "model_patch": patch}
    with boundary(RecordError, f"{log}: cannot be graded again"):
        report: dict[str, dict[str, Any]] = get_eval_report(make_test_spec(row.columns()), prediction, str(log), True)
        return report[row.instance_id]
