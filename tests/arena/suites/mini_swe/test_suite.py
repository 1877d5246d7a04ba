import hashlib
import subprocess
import sys

import pytest

from arena.errors import CellError
from arena.suites.environment import BubblewrapEnvironment
from arena.suites.mini_swe import suite
from arena.suites.swe_bench import SweBenchRow

DIGEST = "be43f5352d4c41da45c9bea55a18a0fa902c84f6b893d4d58b278df9908e1631"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARENA_CACHE", str(folder))
        yield folder


def test_the_suite_is_the_same_everywhere():
    assert suite().digest() == DIGEST


def test_there_are_enough_tasks_of_every_tier():
    samples = suite().samples()
    assert {name: len(samples[name]) for name in ("all", "tier1", "tier2", "tier3")} == {
        "all": 83,
        "tier1": 46,
        "tier2": 21,
        "tier3": 16,
    }
    assert len({task.group for task in suite().tasks(samples["all"])}) == 8


def test_samples_name_tasks_that_are_there_once():
    everything = suite().samples()
    for ids in everything.values():
        assert len(set(ids)) == len(ids)
        assert set(ids) <= set(everything["all"])


def test_the_dev_sample_is_disjoint_from_the_reported_one():
    samples = suite().samples()
    assert (len(samples["demo"]), len(samples["dev"])) == (32, 16)
    assert not set(samples["demo"]) & set(samples["dev"])


@pytest.mark.parametrize(("tier", "demo", "dev"), [("tier1", 24, 11), ("tier2", 5, 3), ("tier3", 3, 2)])
def test_samples_are_drawn_by_the_digest_of_ids(tier, demo, dev):
    samples = suite().samples()
    order = sorted(samples[tier], key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    assert {name for name in samples["demo"] if name in order} == set(order[:demo])
    assert {name for name in samples["dev"] if name in order} == set(order[demo : demo + dev])


def test_tasks_come_in_the_order_that_was_asked_for():
    wanted = ["mini__rowql-101", "mini__cronmatch-201", "mini__gridtext-302"]
    tasks = suite().tasks(wanted)
    assert [task.id for task in tasks] == wanted
    assert [task.tier for task in tasks] == ["tier1", "tier2", "tier3"]


def test_an_unknown_task_is_refused():
    with pytest.raises(CellError, match="mini_swe has no task 'mini__rowql-999'"):
        suite().tasks(["mini__rowql-999"])


def test_the_agent_is_told_the_issue_and_no_more():
    (task,) = suite().tasks(["mini__inilite-102"])
    assert task.prompt.startswith("`split_reference` in `inilite/references.py` splits at the first dot")
    assert "rpartition" not in task.prompt


def test_the_grader_gets_a_row_of_swe_bench():
    (task,) = suite().tasks(["mini__inilite-102"])
    assert SweBenchRow.model_validate(task.grading).columns() == task.grading


def test_the_environment_holds_the_repository_and_a_python_with_pytest(cache):
    (task,) = suite().tasks(["mini__inilite-102"])
    environment = suite().environment(task)
    assert isinstance(environment, BubblewrapEnvironment)
    assert (environment.trees[0].target, environment.trees[0].mode) == ("/testbed", "copy")
    assert {tree.mode for tree in environment.trees[1:]} == {"read_only"}
    assert dict(environment.env)["PATH"].startswith("/opt/testenv/bin:")
    assert suite().grading_environment(task) == environment
    assert suite().environment(task) == environment


def test_pytest_comes_from_the_private_site_alone(cache):
    (task,) = suite().tasks(["mini__inilite-102"])
    testenv = next(tree.source for tree in suite().environment(task).trees if tree.target == "/opt/testenv")
    site = f"{testenv}/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
    code = f"import sys; sys.path.insert(0, {site!r}); import pytest, pygments, packaging; print(pytest.__file__)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{site}/pytest/__init__.py"


def test_importing_the_suite_loads_nothing_heavy():
    code = (
        "import sys, arena.suites.mini_swe; print({'swebench', 'torch', 'inspect_ai', 'datasets'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
