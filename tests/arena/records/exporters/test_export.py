import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.errors import RecordError, UsageError
from arena.records.episode import Episode
from arena.records.exporters.export import Wanted, export
from arena.records.importers.imported import Options
from arena.records.importers.reading import Source
from arena.records.importers.rows import Findings, Outcome, Planned, Trial, imported
from arena.records.importers.save import save_as_cell
from arena.records.run import RunRecord, find_run, load_run

PATCHES = {"o__r-1": "diff --git a/ä b/ä\n", "o__r-2": "diff --git c d\n"}
GRADES = {"p": Outcome("completed", grade="pass"), "f": Outcome("completed", grade="fail", reason="tests_failed")}
GRADES["u"] = Outcome("sandbox_error", reason="lost")


@pytest.fixture
def run(tmp_path: Path) -> RunRecord:
    """Return a run of three tasks, twice each, whose first log holds two patches."""
    trials = [
        Trial(task, GRADES[letter], task, replicate=number, facts=facts(task, number))
        for task, letters in {"o__r-1": "pf", "o__r-2": "fu", "o__r-3": "uu"}.items()
        for number, letter in enumerate(letters, start=1)
    ]
    findings = Findings(Source(tmp_path), Options())
    findings.knows("model.base", "lab/tiny")
    found = imported("test", findings, [(Planned("swe_bench_verified", replicates=2), trials)], ())
    save_as_cell(found, tmp_path / "runs", "past")
    folder = find_run(tmp_path / "runs", "past")
    write_log(folder / "evals" / "a1.eval", PATCHES)
    return load_run(folder)


def facts(task: str, replicate: int) -> dict[str, Any]:
    if replicate != 1 or task not in PATCHES:
        return {}
    digest = f"sha256:{hashlib.sha256(PATCHES[task].encode()).hexdigest()}"
    return {"patch_digest": digest, "log_file": "evals/a1.eval", "sample_id": f"sample {task}"}


def write_log(path: Path, patches: dict[str, str]) -> None:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.scorer import Score

    samples = [
        EvalSample(
            id=task,
            epoch=1,
            input="?",
            target="",
            uuid=f"sample {task}",
            scores={"scorer": Score(value="C", metadata={"model_patch": patch})},
        )
        for task, patch in patches.items()
    ]
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00", task="t", dataset=EvalDataset(), model="m", config=EvalConfig()
    )
    path.parent.mkdir(parents=True)
    write_eval_log(EvalLog(eval=spec, samples=samples), str(path), format="eval")


def test_a_submission_has_the_patches_whole_and_no_row_for_what_left_none(run: RunRecord, tmp_path: Path) -> None:
    done = export("swe_bench", run, tmp_path / "out", Wanted(model="tiny+react", organization="lab"))
    rows = [json.loads(line) for line in (tmp_path / "out" / "all_preds.jsonl").read_text().splitlines()]
    assert rows == [
        {"instance_id": task, "model_name_or_path": "tiny+react", "model_patch": patch}
        for task, patch in PATCHES.items()
    ]
    metadata = yaml.safe_load((tmp_path / "out" / "metadata.yaml").read_text())
    assert metadata["tags"]["model"] == ["lab/tiny"]
    assert metadata["tags"]["system"] == {"attempts": "1"}
    assert metadata["tags"]["checked"] is False
    assert any("1 of 3 tasks left no patch" in note for note in done.notes)
    assert done.as_json()["rows"] == 2


def test_a_patch_that_is_not_whole_in_its_log_is_not_handed_in(run: RunRecord, tmp_path: Path) -> None:
    log = run.folder / "evals" / "a1.eval"
    log.unlink()
    log.parent.rmdir()
    write_log(log, {**PATCHES, "o__r-2": "diff --git c … d\n"})
    with pytest.raises(RecordError, match="the patch of 'o__r-2' is not whole"):
        export("swe_bench", run, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_without_patches_has_no_submission(run: RunRecord, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no patch is kept"):
        export("swe_bench", run, tmp_path / "out", Wanted(replicate=2))
    with pytest.raises(UsageError, match="has the replicates 1 to 2"):
        export("swe_bench", run, tmp_path / "out", Wanted(replicate=3))


def test_eval_arena_rows_count_graded_runs_alone(run: RunRecord, tmp_path: Path) -> None:
    done = export("eval_arena", run, tmp_path)
    rows = [json.loads(line) for line in Path(done.files[0]).read_text().splitlines()]
    assert [list(row.values()) for row in rows] == [
        ["swe_bench_verified", "past", "o__r-1", 0.5, 1, 2],
        ["swe_bench_verified", "past", "o__r-2", 0.0, 0, 1],
    ]
    assert list(rows[0]) == ["benchmark_id", "model", "example_id", "pass1", "correct", "count"]
    assert any("1 of 3 tasks have no graded episode and no row" in note for note in done.notes)


def test_a_record_of_every_eval_ever_says_what_its_schema_has_no_field_for(run: RunRecord, tmp_path: Path) -> None:
    done = export("every_eval_ever", run, tmp_path, Wanted(organization="lab"))
    record = json.loads(Path(done.files[0]).read_text())
    assert record["schema_version"] == "0.2.1"
    assert {"evaluation_id", "retrieved_timestamp", "source_metadata", "model_info", "eval_library"} <= set(record)
    assert record["dedupe_identity"]["run_fingerprint"] == run.plan_digest
    assert record["retrieved_timestamp"].isdecimal()
    scored, planned = record["evaluation_results"]
    assert scored["score_details"]["score"] == pytest.approx(1 / 3)
    assert planned["score_details"]["score"] == pytest.approx(1 / 6)
    details = scored["score_details"]["details"]
    assert all(isinstance(value, str) for value in details.values())
    assert (details["planned"], details["scored"], details["unscored"], details["replicates"]) == ("6", "3", "3", "2")
    assert details["score_definition"].startswith("resolved/scored: passes / episodes that have a grade")
    interval = scored["score_details"]["uncertainty"]["confidence_interval"]
    assert 0 <= interval["lower"] < 1 / 3 < interval["upper"] <= 1
    assert "uncertainty" not in planned["score_details"]
    assert export("every_eval_ever", run, tmp_path, Wanted(organization="lab")) == done


def test_what_cannot_be_exported_is_said(run: RunRecord, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no form 'csv' to export to; there are swe_bench, eval_arena"):
        export("csv", run, tmp_path)
    with pytest.raises(UsageError, match="has no panel of 'mini_swe'; it has swe_bench_verified"):
        export("eval_arena", run, tmp_path, Wanted(suite="mini_swe"))
    empty: tuple[Episode, ...] = ()
    with pytest.raises(RecordError, match="has no episode yet"):
        export("eval_arena", RunRecord(**{**vars(run), "episodes": empty}), tmp_path)
