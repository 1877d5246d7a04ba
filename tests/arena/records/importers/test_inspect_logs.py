from pathlib import Path
from typing import Any

import pytest

from arena.errors import RecordError
from arena.records.importers import inspect_logs
from arena.records.importers.imported import Imported, Options

ERROR = {"message": "SandboxError('lost')", "traceback": "", "traceback_ansi": ""}


def rows(found: Imported) -> dict[tuple[str, int], tuple[str, str | None, str, str | None]]:
    return {(one.task, one.replicate): (one.execution, one.limit, one.grade, one.reason) for one in found.episodes}


def test_values_errors_and_limits_are_mapped_each_on_its_axis(made: Any, tmp_path: Path) -> None:
    sample = made.inspect_sample
    samples = [
        sample("c", "C"),
        sample("i", "I"),
        sample("n", "N"),
        sample("p", "P"),
        sample("nan", float("nan")),
        sample("one", 1),
        sample("words", "seven"),
        sample("limit", "C", limit={"type": "message", "limit": 5}),
        sample("error", None, error=ERROR),
        sample("both", "I", error=ERROR),
        sample("none", None),
    ]
    found = inspect_logs.read(made.inspect_log(tmp_path / "log.json", samples))
    assert rows(found) == {
        ("c", 1): ("completed", None, "pass", None),
        ("i", 1): ("completed", None, "fail", "unrecorded"),
        ("n", 1): ("completed", None, "fail", "no_answer"),
        ("p", 1): ("completed", None, "unscored", "reward 0.5"),
        ("nan", 1): ("completed", None, "unscored", "no_score"),
        ("one", 1): ("completed", None, "pass", None),
        ("words", 1): ("completed", None, "unscored", "no_grade"),
        ("limit", 1): ("limit", "message", "pass", None),
        ("error", 1): ("sandbox_error", None, "unscored", "SandboxError"),
        ("both", 1): ("sandbox_error", None, "fail", "unrecorded"),
        ("none", 1): ("completed", None, "unscored", "no_score"),
    }


def test_epochs_are_replicates_and_what_a_cancelled_log_did_not_reach_is_planned(made: Any, tmp_path: Path) -> None:
    samples = [made.inspect_sample("a", "C", 1), made.inspect_sample("a", "I", 2), made.inspect_sample("b", "C", 1)]
    spec = {"dataset": {"name": "sums", "samples": 3, "sample_ids": ["a", "b", "c"]}}
    found = inspect_logs.read(made.inspect_log(tmp_path / "log.json", samples, status="cancelled", eval=spec))
    (line,) = found.lines
    assert (line.planned, line.recorded, line.passed, line.failed) == (6, 3, 2, 1)
    assert {one.name: one.value for one in line.scores}["inspect_accuracy"] == pytest.approx((0.5 + 1) / 2)
    assert any("its status is cancelled" in note for note in found.notes)


def test_logs_of_one_evaluation_are_tries_and_of_another_one_replicates(made: Any, tmp_path: Path) -> None:
    sample = made.inspect_sample
    later = {"created": "2025-02-08T00:00:00+00:00"}
    failed = sample("b", None, error=ERROR)
    made.inspect_log(tmp_path / "1.json", [sample("a", "C"), failed], status="error")
    made.inspect_log(tmp_path / "2.json", [sample("a", "C"), sample("b", "I", uuid="new")], eval=later)
    made.inspect_log(
        tmp_path / "3.json",
        [sample("a", "I", uuid="x"), sample("b", "I", uuid="y")],
        eval={"created": "2025-02-09T00:00:00+00:00", "task_id": "t2"},
    )
    found = inspect_logs.read(tmp_path)
    placed = sorted((one.task, one.replicate, one.attempt, one.grade) for one in found.episodes)
    assert placed == [
        ("a", 1, 1, "pass"),
        ("a", 2, 1, "fail"),
        ("b", 1, 1, "unscored"),
        ("b", 1, 2, "fail"),
        ("b", 2, 1, "fail"),
    ]


def test_an_eval_file_is_read_like_its_json(made: Any, tmp_path: Path) -> None:
    plain = inspect_logs.read(made.inspect_log(tmp_path / "log.json"))
    packed = inspect_logs.read(made.eval_file(tmp_path / "other.eval"))
    assert rows(plain) == rows(packed)


def test_one_of_several_scores_is_chosen_by_name(made: Any, tmp_path: Path) -> None:
    sample = made.inspect_sample("a", "C")
    sample["scores"]["style"] = {"value": "I"}
    log = made.inspect_log(tmp_path / "log.json", [sample])
    with pytest.raises(RecordError, match="2 scores, one of which is the grade; choose one: includes, style"):
        inspect_logs.read(log)
    assert rows(inspect_logs.read(log, Options(scorer="style")))["a", 1][2] == "fail"


def test_what_was_invalidated_by_hand_has_no_grade(made: Any, tmp_path: Path) -> None:
    found = inspect_logs.read(made.inspect_log(tmp_path / "log.json", invalidated=True))
    assert {one.grade for one in found.episodes} == {"unscored"}


def test_a_log_of_an_arena_run_is_not_imported(made: Any, tmp_path: Path) -> None:
    log = made.inspect_log(tmp_path / "log.json", eval={"metadata": {"arena": {}}})
    with pytest.raises(RecordError, match="a log of arena's own"):
        inspect_logs.read(log)


def test_a_truncated_log_is_refused_in_one_line(made: Any, tmp_path: Path) -> None:
    log = made.eval_file(tmp_path / "log.eval")
    log.write_bytes(log.read_bytes()[:-40])
    with pytest.raises(RecordError, match=r"log\.eval: not a readable Inspect log") as refused:
        inspect_logs.read(log)
    assert "\n" not in str(refused.value)
