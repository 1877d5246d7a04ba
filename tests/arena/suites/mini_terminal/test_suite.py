import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import CellError
from arena.suites.load import load_suite
from arena.suites.mini_terminal import suite
from arena.suites.mini_terminal.suite import TASKS

DIGEST = "298b562f5f511a64bf78cfd81b0c4937becc214ce63f728566a9430206721ecf"

NAMES = suite().ids()


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


def test_the_suite_is_the_same_everywhere():
    assert suite().digest() == DIGEST


def test_it_is_built_in():
    assert load_suite("mini_terminal").digest() == DIGEST


def test_there_are_tasks_of_many_kinds_and_every_difficulty():
    samples = suite().samples()
    assert len(samples["all"]) == 10
    assert len({task.group for task in suite().tasks(samples["all"])}) >= 5
    assert sorted(samples["easy"] + samples["medium"] + samples["hard"]) == samples["all"]
    assert all(samples[tier] for tier in ("easy", "medium", "hard"))


def test_an_unknown_task_is_refused():
    with pytest.raises(CellError, match="mini_terminal has no task 'no-such'"):
        suite().tasks(["no-such"])


@pytest.mark.parametrize("name", NAMES)
def test_a_task_has_its_own_time_and_solution(name):
    (task,) = suite().tasks([name])
    assert task.timeout_s == 300
    assert task.grading["verifier_timeout_s"] == 60
    assert task.solution.startswith("#!/bin/bash\nset -e\n")
    assert task.workdir == "/app"


@pytest.mark.parametrize("name", NAMES)
def test_neither_tests_nor_solution_are_where_the_agent_works(name):
    held = suite().task(name)
    given = {file.content for file in held.environment.values()}
    assert not given & {file.content for file in (*held.tests.values(), *held.solution.values())}
    assert "Dockerfile" not in held.environment


@pytest.mark.parametrize("name", NAMES)
def test_a_verifier_cannot_be_held_up_or_led_astray_by_where_it_runs(name):
    script = suite().task(name).tests["test.sh"].content.decode()
    assert "timeout 45 python3 -I /tests/test_outputs.py" in script
    assert suite().task(name).settings.verifier.timeout_sec > 45


def test_the_environment_holds_the_tasks_files_and_a_python():
    (task,) = suite().tasks(["word-count"])
    environment = suite().environment(task)
    assert [tree.target for tree in environment.trees][:3] == ["/app", "/tests", "/logs"]
    assert "/opt/testenv" in {tree.target for tree in environment.trees}
    assert Path(environment.trees[0].source).name.startswith("word-count-")
    assert (environment.workdir, environment.memory_mb, environment.disk_mb) == ("/app", 512, 64)
    assert suite().grading_environment(task) == environment


def test_no_task_holds_anything_that_was_left_behind():
    assert {path.parent.name for path in TASKS.glob("*/task.toml")} == set(NAMES)
    assert {path.name for path in TASKS.iterdir()} == set(NAMES)


def test_importing_the_suite_loads_nothing_heavy():
    code = "import sys, arena.suites.mini_terminal; print({'swebench', 'torch', 'inspect_ai'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
