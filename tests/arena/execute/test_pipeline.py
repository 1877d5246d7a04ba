"""The whole line on a project of one's own, by the command line, with a scripted model in real sandboxes."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter

import pytest

from arena.records.episode import Episode
from arena.records.run import RunRecord

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def outcomes(run: RunRecord) -> list[tuple[str, int, str, str | None, str]]:
    """Everything of a run's scored episodes that may not depend on when it was interrupted."""
    return sorted((e.task, e.replicate, e.grade, e.reason, e.execution) for e in run.episodes if e.scored)


def scored_twice(episodes: tuple[Episode, ...]) -> list[tuple[str, int]]:
    counts = Counter((e.task, e.replicate) for e in episodes if e.scored)
    return [place for place, count in counts.items() if count > 1]


@pytest.fixture
def attested(project, unbroken):
    """A project whose suite is attested already."""
    shutil.copytree(unbroken.folder / "runs" / "store" / "attest", project.folder / "runs" / "store" / "attest")
    return project


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory, make_project):
    project = make_project(tmp_path_factory.mktemp("unbroken"))
    done = project.arena("run", "cell", "cells/own.yaml")
    assert done.returncode == 0, done.stderr
    return project


def test_a_cell_runs_through_every_stage(unbroken):
    run = unbroken.run()
    assert run.status == "complete"
    assert {name: stage.status for name, stage in run.stages.items()} == dict.fromkeys(
        ("check", "attest", "train", "package", "serve", "evaluate", "summarise"), "done"
    )
    assert len(run.episodes) == 24
    assert {e.execution for e in run.episodes} == {"completed"}
    assert 0 < sum(e.grade == "pass" for e in run.episodes) < 24
    assert all(e.turns == 2 and e.tokens_out and e.started_at and e.limits_kind for e in run.episodes)
    assert {(e.replicate, e.attempt) for e in run.episodes} == {(1, 1), (2, 1)}
    assert any(factor.path.startswith("recipe") for factor in run.factors)


def test_two_replicates_of_one_system_are_seeded_apart_and_disagree(unbroken):
    first, second = (
        {e.task: e.grade for e in unbroken.run().episodes if e.replicate == replicate} for replicate in (1, 2)
    )
    assert first.keys() == second.keys()
    assert first != second


def test_a_second_run_does_nothing_and_needs_no_inspect(unbroken):
    before = {path: path.stat().st_mtime_ns for path in (unbroken.folder / "runs").rglob("*") if path.is_file()}
    again = unbroken.arena("run", "cell", "cells/own.yaml", PYTHONPROFILEIMPORTTIME="1")
    assert again.returncode == 0
    assert "nothing to do" in again.stderr
    for heavy in ("inspect_ai", "torch", "swebench", "transformers"):
        assert f" {heavy}\n" not in again.stderr
    after = {path: path.stat().st_mtime_ns for path in (unbroken.folder / "runs").rglob("*") if path.is_file()}
    assert {path.name for path in after if after[path] != before.get(path)} <= {".lock"}


def test_status_compare_and_rollup_read_what_a_run_left(unbroken):
    status = json.loads(unbroken.arena("status", "--json").stdout)
    assert status[0]["status"] == "complete"
    table = json.loads(unbroken.arena("rollup", "--json").stdout)
    assert "own" in json.dumps(table)
    same = unbroken.arena("compare", "own", "own", "--json")
    assert same.returncode == 0, same.stderr
    assert "vacuous" in same.stdout


def test_a_log_that_was_deleted_or_changed_ends_with_exit_code_3(attested):
    assert attested.arena("run", "cell", "cells/own.yaml").returncode == 0
    log = next(attested.folder.glob("runs/own/*/evals/*/r2/a1.eval"))
    content = log.read_bytes()
    log.unlink()
    gone = attested.arena("run", "cell", "cells/own.yaml")
    assert gone.returncode == 3
    assert "this log was written and is gone; restore it" in gone.stderr
    log.write_bytes(content[:-10])
    changed = attested.arena("run", "cell", "cells/own.yaml")
    assert changed.returncode == 3
    assert "was changed after it was written" in changed.stderr
    log.write_bytes(content)
    assert attested.arena("run", "cell", "cells/own.yaml").returncode == 0


def kill_at_random(project, kills: int, seed: int) -> None:
    moments = random.Random(seed)
    for _ in range(kills):
        process = project.start("run", "cell", "cells/own.yaml", WORDS_SECONDS="0.3")
        end = time.monotonic() + moments.uniform(1.5, 14.0)
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        process.kill()
        process.communicate(timeout=60)


@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_at_random_moments_a_run_ends_with_the_figures_of_an_unbroken_one(project, unbroken, kills: int):
    kill_at_random(project, kills, seed=kills)
    done = project.arena("run", "cell", "cells/own.yaml")
    assert done.returncode == 0, done.stderr
    run = project.run()
    assert run.status == "complete"
    assert outcomes(run) == outcomes(unbroken.run())
    assert scored_twice(run.episodes) == []


def test_one_interrupt_finishes_what_is_in_flight_and_says_how_to_go_on(attested, unbroken):
    process = attested.start("run", "cell", "cells/own.yaml", WORDS_SECONDS="1")
    attested.wait_for("runs/own/*/evals/*/r1/.a1.running/*.eval")
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "go on with: arena run cell cells/own.yaml" in said
    assert "Traceback" not in said
    run = attested.run()
    assert run.status == "stopped"
    assert {e.execution for e in run.episodes if not e.scored} == {"pending"}
    assert attested.arena("run", "cell", "cells/own.yaml").returncode == 0
    assert outcomes(attested.run()) == outcomes(unbroken.run())


def test_what_a_budget_does_not_reach_is_recorded_as_not_run(attested):
    attested.edit("retries: 1}", "retries: 1, budget: {hours: 0.0000001}}")
    done = attested.arena("run", "cell", "cells/own.yaml")
    assert done.returncode == 0
    run = attested.run()
    assert run.status == "complete"
    assert run.message == "ownsuite:suite: 24 of 24 episodes not_run_budget"
    assert {e.execution for e in run.episodes} == {"not_run_budget"}
    assert {e.grade for e in run.episodes} == {"unscored"}


def test_only_runs_the_named_stage_and_no_later_one(attested):
    assert attested.arena("run", "cell", "cells/own.yaml", "--only", "train").returncode == 0
    assert attested.run().stages["train"].status == "done"
    assert attested.run().stages["evaluate"].status == "not_started"
    wrong = attested.arena("run", "cell", "cells/own.yaml", "--only", "trian")
    assert wrong.returncode == 2
    assert "stages are check, attest, train" in wrong.stderr


def test_an_error_in_the_cell_names_its_file_and_line_and_the_nearest_key(project):
    project.edit("serve: {engine", "serve: {engin")
    wrong = project.arena("run", "cell", "cells/own.yaml")
    assert wrong.returncode == 2
    assert "cells/own.yaml:5:" in wrong.stderr
    assert "did you mean 'engine'" in wrong.stderr
    assert not (project.folder / "runs").exists()


def test_weights_that_are_not_the_revisions_are_refused(project):
    weights = project.folder / "cells" / "toy" / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    wrong = project.arena("run", "cell", "cells/own.yaml")
    assert wrong.returncode == 2
    assert "cells/own.yaml:4: model" in wrong.stderr
    weights.write_bytes(bytes(data[:-3]))
    truncated = project.arena("run", "cell", "cells/own.yaml")
    assert truncated.returncode in (1, 2)
    assert "Traceback" not in truncated.stderr
    assert "model.safetensors" in truncated.stderr


def test_a_truncated_log_of_a_killed_attempt_is_one_clear_message(attested):
    process = attested.start("run", "cell", "cells/own.yaml", WORDS_SECONDS="1")
    log = attested.wait_for("runs/own/*/evals/*/r1/.a1.running/*.eval")
    time.sleep(2)
    process.kill()
    process.communicate(timeout=60)
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    done = attested.arena("run", "cell", "cells/own.yaml")
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    assert "/r1/a1.eval: not a readable Inspect log" in done.stderr
    assert done.stderr.count("error:") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="a full disk is made by mounting a small one, which takes root")
def test_on_a_full_disk_a_run_ends_with_one_message_and_loses_nothing(project, unbroken):
    runs = project.folder / "runs"
    runs.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", runs], check=True)
    try:
        shutil.copytree(unbroken.folder / "runs" / "store", runs / "store")
        full = project.arena("run", "cell", "cells/own.yaml")
        assert full.returncode == 1
        assert full.stderr.count("No space left on device; nothing that was scored is lost") == 1
        assert "Traceback" not in full.stderr
        subprocess.run(["mount", "-o", "remount,size=100m", runs], check=True)
        assert project.arena("run", "cell", "cells/own.yaml").returncode == 0
        assert outcomes(project.run()) == outcomes(unbroken.run())
        assert scored_twice(project.run().episodes) == []
    finally:
        subprocess.run(["umount", runs], check=True)


def test_one_changed_character_of_a_plug_in_makes_another_plan_wherever_the_cell_names_it(attested):
    plan = json.loads(attested.arena("check", "cells/own.yaml", "--json").stdout)["plan_digest"]
    (attested.folder / "cells" / "ownscript.py").write_text("from ownsuite import script\n")
    attested.edit("ownsuite:script", "ownscript:script")
    named = json.loads(attested.arena("check", "cells/own.yaml", "--json").stdout)["plan_digest"]
    (attested.folder / "cells" / "ownscript.py").write_text("from ownsuite import script \n")
    changed = json.loads(attested.arena("check", "cells/own.yaml", "--json").stdout)["plan_digest"]
    assert len({plan, named, changed}) == 3
