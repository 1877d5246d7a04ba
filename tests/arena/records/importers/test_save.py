"""Imported records as cells: beside others in rollup and comparison, with what nobody recorded unrecorded."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import RecordError, UsageError
from arena.records.importers.detect import detect, read_records
from arena.records.importers.imported import Options
from arena.records.importers.save import import_records
from arena.records.run import find_run, load_run
from arena.report.compare import compare
from arena.report.panel import panel_results
from arena.report.rollup import latest_runs, rollup
from arena.report.status import run_status


def files(folder: Path) -> dict[Path, tuple[bytes, int]]:
    return {one: (one.read_bytes(), one.stat().st_mtime_ns) for one in folder.rglob("*") if one.is_file()}


def test_without_a_cell_nothing_is_written(made: Any, tmp_path: Path) -> None:
    found = import_records(made.harbor(tmp_path / "job"), tmp_path / "runs")
    assert found.run is None
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "name", ["harbor", "tb1", "verifiers", "traces", "swe folder", "mini", "lm_eval", "inspect eval"]
)
def test_an_imported_run_reads_back_as_it_was_shown(made: Any, tmp_path: Path, name: str) -> None:
    source = made.all(tmp_path / "sources")[name]
    found = import_records(source, tmp_path / "runs", "past")
    run = load_run(find_run(tmp_path / "runs", "past"))
    assert run.id == found.run
    assert run.episodes == found.episodes
    results, lines = panel_results(run), found.lines
    for result, line in zip(results, lines, strict=True):
        assert (result.passed, result.failed, result.planned) == (line.passed, line.failed, line.planned)
        assert (result.rate, result.bracket) == (line.rate, line.bracket)
    assert (run.status == "complete") == all(result.status == "complete" for result in results)
    assert run_status(run).as_json()["run"] == run.id
    json.dumps(rollup([run]).as_json(), allow_nan=False)


def test_importing_again_changes_no_byte_and_another_content_is_another_run(made: Any, tmp_path: Path) -> None:
    job, runs = made.harbor(tmp_path / "job"), tmp_path / "runs"
    first = import_records(job, runs, "past")
    before = files(runs)
    assert import_records(job, runs, "past").run == first.run
    assert files(runs) == before
    made.write(job / "b__1" / "result.json", made.harbor_trial("b", 1, 1.0))
    assert import_records(job, runs, "past").run != first.run
    assert {path: before[path] for path in before} == {path: files(runs)[path] for path in before}


def test_unknown_factors_are_unrecorded_so_that_no_difference_is_attributed(made: Any, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    a, b = tmp_path / "a", tmp_path / "b"
    better = {key: made.harbor_trial(key[0], 1, 1.0) for key in ("a__1", "b__1", "c__1")}
    import_records(made.harbor(a), runs, "first")
    import_records(made.harbor(b, better), runs, "second")
    first, second = latest_runs(runs)
    found = compare(first, second, "recipe")
    (panel,) = found.panels
    assert panel.attribution.status == "unrecorded"
    paths = {one.path for one in panel.attribution.unrecorded}
    assert {"recipe.trainer", "model.revision", "generate.temperature", "goal.digest"} <= paths
    assert "model.base" not in paths
    assert (panel.paired_tasks, panel.improved) == (2, 1)
    json.dumps(found.as_json(), allow_nan=False)


def test_several_runs_of_one_system_are_replicates(made: Any, tmp_path: Path) -> None:
    jobs = [made.harbor(tmp_path / name) for name in ("one", "two")]
    with pytest.raises(RecordError, match="a copy is no replicate"):
        import_records(jobs, tmp_path / "runs")
    made.write(jobs[1] / "result.json", {"n_total_trials": 4})
    made.write(jobs[1] / "b__1" / "result.json", made.harbor_trial("b", 1, 1.0))
    made.write(jobs[1] / "d__1" / "result.json", made.harbor_trial("d", 1, 1.0))
    found = import_records(jobs, tmp_path / "runs", "both")
    (panel,) = found.panels
    assert (len(panel.task_ids), panel.replicates, panel.planned) == (4, 2, 7)
    assert panel.absent == (("d", 1),)
    (result,) = panel_results(load_run(find_run(tmp_path / "runs", "both")))
    assert (result.passed, result.failed, result.unscored) == (4, 1, 2)


def test_two_systems_are_not_replicates_of_each_other(made: Any, tmp_path: Path) -> None:
    other = made.harbor_trial("a", 1, 1.0)
    other["config"]["agent"]["model_name"] = "lab/large"
    jobs = [made.harbor(tmp_path / "one"), made.harbor(tmp_path / "two", {"a__1": other})]
    with pytest.raises(RecordError, match=r"model\.base is lab/large, and .* have lab/tiny: two systems"):
        import_records(jobs, tmp_path / "runs")


def test_a_suite_a_sample_and_planned_tasks_can_be_given(made: Any, tmp_path: Path) -> None:
    options = Options(suite="terminal_bench_2", sample="mine", tasks=("a", "b", "z"))
    found = import_records(made.harbor(tmp_path / "job"), tmp_path / "runs", "past", options)
    (line,) = found.lines
    assert (line.suite, line.sample, line.planned, line.recorded) == ("terminal_bench_2", "mine", 3, 2)
    assert any("1 trials are of tasks outside the sample" in note for note in found.notes)
    run = load_run(find_run(tmp_path / "runs", "past"))
    assert (run.status, run.message) == ("stopped", "1 of 3 planned episodes are not in the imported records")


def test_a_cell_needs_a_name_and_episodes(made: Any, tmp_path: Path) -> None:
    job = made.harbor(tmp_path / "job")
    for name in ("Past", "../past", "", "store"):
        with pytest.raises(UsageError, match="as_cell"):
            import_records(job, tmp_path / "runs", name)
    folder = made.lm_eval(tmp_path / "lm")
    next(folder.glob("samples_*")).unlink()
    with pytest.raises(RecordError, match="holds no episode"):
        import_records(folder, tmp_path / "runs", "past")


def test_each_source_is_recognised_and_what_is_none_is_told_what_was_looked_for(made: Any, tmp_path: Path) -> None:
    names = {name: detect(path).name for name, path in made.all(tmp_path).items()}
    assert names == {
        "harbor": "harbor",
        "tb1": "terminal_bench_1",
        "verifiers": "verifiers",
        "traces": "verifiers",
        "swe summary": "swe_bench",
        "swe old": "swe_bench",
        "swe reports": "swe_bench",
        "swe folder": "swe_bench",
        "mini": "mini_swe_agent",
        "lm_eval": "lm_eval",
        "inspect json": "inspect",
        "inspect eval": "inspect",
    }
    made.write(tmp_path / "empty" / "notes.txt", "nothing")
    with pytest.raises(RecordError, match=r"looked for(.|\n)*harbor: a job's folder"):
        detect(tmp_path / "empty")
    with pytest.raises(UsageError, match="no such file or folder"):
        detect(tmp_path / "missing")


def test_a_table_of_the_terminal_names_every_score_with_its_definition(made: Any, tmp_path: Path) -> None:
    from rich.console import Console

    console = Console(width=200, record=True, file=io.StringIO())
    console.print(replace(read_records(made.harbor(tmp_path / "job")), run="past/1234").drawn())
    text = console.export_text()
    assert "tb2_official 33.3%: Terminal-Bench 2's leaderboard" in text
    assert "kept as the run past/1234" in text
