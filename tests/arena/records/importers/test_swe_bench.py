import json
from pathlib import Path
from typing import Any

import pytest

from arena.errors import RecordError
from arena.records.importers import swe_bench
from arena.records.importers.imported import Imported, Options


def graded(found: Imported) -> dict[str, tuple[str, str | None]]:
    return {one.task: (one.grade, one.reason) for one in found.episodes}


def test_a_summary_is_mapped_list_by_list(made: Any, tmp_path: Path) -> None:
    found = swe_bench.read(made.swe_summary(tmp_path))
    assert graded(found) == {
        "o__r-1": ("pass", None),
        "o__r-2": ("fail", "unrecorded"),
        "o__r-3": ("unscored", "infra: disk_full"),
        "o__r-4": ("unscored", "empty_patch_exit_unrecorded"),
        "o__r-5": ("unscored", "grader_error"),
        "o__r-6": ("unscored", "no_prediction"),
    }
    (line,) = found.lines
    assert {one.name: one.value for one in line.scores} == {
        "resolved/scored": 1 / 2,
        "resolved/planned": 1 / 6,
        "resolved/submitted": 1 / 5,
    }
    assert found.disagreements == ()
    assert {one.execution for one in found.episodes} == {"unrecorded", "pending"}
    assert {one.group for one in found.episodes} == {"o/r"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"resolved_instances": 2}, "resolved_instances is 2, and resolved_ids has 1"),
        ({"total_instances": 7}, "total_instances is 7, and its lists name 6"),
        ({"resolved_ids": ["o__r-1", "o__r-2"], "resolved_instances": 2}, "two lists that exclude each other"),
        ({"resolved_ids": ["o__r-9"]}, "not what is resolved, unresolved or an error"),
        ({"infra_failure_ids": ["o__r-1"]}, "failed by its environment, and stands in no list of failures"),
        ({"resolved_ids": ["o__r-1", "o__r-1"]}, "names no id twice"),
        ({"resolved_ids": None}, "resolved_ids: expected a list of ids, got None"),
    ],
)
def test_a_summary_that_contradicts_itself_is_refused(
    made: Any, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    summary = made.swe_summary(tmp_path, **changes)
    with pytest.raises(RecordError, match=words) as refused:
        swe_bench.read(summary)
    assert str(summary) in str(refused.value)


def test_reports_say_why_a_patch_failed(made: Any, tmp_path: Path) -> None:
    model = made.swe_reports(tmp_path) / "logs" / "run_evaluation" / "run1" / "lab__tiny"
    report = made.swe_report
    not_applied = report("o__r-3", False, patch_successfully_applied=False)
    infra = report("o__r-4", False, infra_failure=True, infra_failure_reason="out_of_memory")
    contradictory = report("o__r-5", True, tests_status={"PASS_TO_PASS": {"success": [], "failure": ["t"]}})
    for task, one in {"o__r-3": not_applied, "o__r-4": infra, "o__r-5": contradictory}.items():
        made.write(model / task / "report.json", one)
    (model / "o__r-6").mkdir()
    found = swe_bench.read(tmp_path)
    assert graded(found) == {
        "o__r-1": ("pass", None),
        "o__r-2": ("fail", "tests_failed"),
        "o__r-3": ("fail", "patch_does_not_apply"),
        "o__r-4": ("unscored", "infra: out_of_memory"),
        "o__r-5": ("unscored", "unreadable"),
        "o__r-6": ("unscored", "no_report"),
    }
    assert found.panels[0].suite == "swe_bench_verified"
    assert "the rest of the report says otherwise" in found.unreadable[0].reason


def test_a_report_and_a_summary_that_contradict_each_other_give_no_grade(made: Any, tmp_path: Path) -> None:
    folder = made.swe_reports(tmp_path)
    made.swe_summary(folder)
    model = folder / "logs" / "run_evaluation" / "run1" / "lab__tiny"
    made.write(model / "o__r-2" / "report.json", made.swe_report("o__r-2", True))
    made.write(model / "o__r-9" / "report.json", made.swe_report("o__r-9", True))
    found = swe_bench.read(folder)
    assert graded(found)["o__r-2"] == ("unscored", "contradictory")
    assert graded(found)["o__r-1"] == ("pass", None)
    assert "o__r-9" not in graded(found)
    assert len(found.unreadable) == 2


def test_only_one_run_is_read_and_reports_of_another_are_not_mixed_in(made: Any, tmp_path: Path) -> None:
    folder = made.swe_reports(tmp_path)
    made.swe_summary(folder).rename(folder / "lab__tiny.run2.json")
    with pytest.raises(RecordError, match=r"2 evaluations.*lab__tiny.run1, lab__tiny.run2"):
        swe_bench.read(folder)
    assert len(swe_bench.read(folder, Options(only="lab__tiny.run1")).episodes) == 2
    assert swe_bench.read(folder / "lab__tiny.run2.json").panels[0].suite == "swe_bench"


def test_a_list_of_resolved_instances_alone_has_no_denominator(made: Any, tmp_path: Path) -> None:
    results = {"resolved": ["o__r-1"], "no_generation": ["o__r-3"], "no_logs": ["o__r-4"]}
    file = made.write(tmp_path / "results" / "results.json", results)
    with pytest.raises(RecordError, match="names the instances that were resolved and not those that were tried"):
        swe_bench.read(file)
    named = Options(tasks=tuple(f"o__r-{number}" for number in range(1, 5)))
    assert graded(swe_bench.read(file, named)) == {
        "o__r-1": ("pass", None),
        "o__r-2": ("fail", "unrecorded"),
        "o__r-3": ("unscored", "empty_patch_exit_unrecorded"),
        "o__r-4": ("unscored", "no_logs"),
    }
    patches = [{"instance_id": f"o__r-{n}", "model_name_or_path": "m", "model_patch": "d"} for n in (1, 2)]
    made.lines(tmp_path / "all_preds.jsonl", patches)
    with_patches = swe_bench.read(tmp_path)
    assert graded(with_patches)["o__r-2"] == ("fail", "unrecorded")
    assert with_patches.episodes[0].patch_digest is not None


def test_how_the_agent_ended_decides_what_an_empty_patch_means(made: Any, tmp_path: Path) -> None:
    made.mini(tmp_path)
    ids = [f"o__r-{number}" for number in range(1, 5)]
    nothing = ("incomplete", "error", "infra_failure", "submitted", "unresolved")
    changes: dict[str, Any] = {f"{key}_ids": [] for key in nothing} | {f"{key}_instances": 0 for key in nothing}
    changes |= {"completed_ids": ids[:1], "completed_instances": 1, "empty_patch_ids": ids[1:]}
    changes |= {"empty_patch_instances": 3, "total_instances": 4, "failure_reasons": {}}
    made.swe_summary(tmp_path, **changes)
    found = swe_bench.read(tmp_path)
    assert {one.task: (one.execution, one.limit, one.grade, one.reason) for one in found.episodes} == {
        "o__r-1": ("completed", None, "pass", None),
        "o__r-2": ("limit", None, "fail", "empty_patch"),
        "o__r-3": ("provider_error", None, "unscored", "RateLimitError"),
        "o__r-4": ("completed", None, "fail", "empty_patch"),
    }


def test_real_reports_and_a_real_summary_are_read_as_their_graders_left_them() -> None:
    kept = Path(__file__).parents[5] / "shared" / "formats" / "swebench_report"
    if not kept.is_dir():
        pytest.skip("the real reports are not here")
    summary = next(kept.glob("*.json"))
    (line,) = swe_bench.read(summary).lines
    assert (line.passed, line.failed, line.planned) == (8, 15, 23)
    for reports in kept.glob("logs/run_evaluation/*/*"):
        stored = {
            file.parent.name: json.loads(file.read_text())[file.parent.name]["resolved"]
            for file in reports.glob("*/report.json")
        }
        found = swe_bench.read(reports)
        assert {one.task: one.grade == "pass" for one in found.episodes} == stored


def test_stored_logs_are_graded_again_and_a_verdict_that_differs_is_none(tmp_path: Path) -> None:
    kept = Path(__file__).parents[5] / "shared"
    rows = kept / "data" / "swe_bench_verified.jsonl.gz"
    (logs,) = list(kept.glob("formats/swebench_report/logs/run_evaluation/*/*")) or [None]
    if logs is None or not rows.is_file():
        pytest.skip("the real logs or the rows are not here")
    task = "django__django-10914"
    copy = tmp_path / "model" / task
    copy.mkdir(parents=True)
    for name in ("test_output.txt", "patch.diff", "report.json"):
        (copy / name).write_bytes((logs / task / name).read_bytes())
    confirmed = swe_bench.read(tmp_path / "model", Options(rows=rows))
    assert graded(confirmed) == {task: ("pass", None)}
    assert any("1 logs were graded again with swebench" in note for note in confirmed.notes)
    (copy / "report.json").unlink()
    (tmp_path / "model" / "o__r-1").mkdir()
    (tmp_path / "model" / "o__r-1" / "report.json").write_text(json.dumps({"o__r-1": {"resolved": False}}))
    assert graded(swe_bench.read(tmp_path / "model"))[task] == ("unscored", "no_report")
    assert graded(swe_bench.read(tmp_path / "model", Options(rows=rows)))[task] == ("pass", None)
    report = json.loads((logs / task / "report.json").read_text())
    report[task]["resolved"] = False
    (copy / "report.json").write_text(json.dumps(report))
    assert graded(swe_bench.read(tmp_path / "model", Options(rows=rows)))[task] == ("unscored", "contradictory")
