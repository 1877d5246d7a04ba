import ast
import re

import pytest

from arena.suites.mini_swe import suite
from arena.suites.mini_swe.check import file_patches
from arena.suites.mini_swe.definition import FAMILIES, repositories
from arena.suites.mini_swe.history import definitions, with_defect
from arena.suites.mini_swe.suite import FOLDER

SUITE = suite()
WRITTEN = repositories(FOLDER / "repositories")


def ids(tier: str) -> list[str]:
    return list(SUITE.samples()[tier])


def task_of(name: str):
    row = SUITE.row(name)
    repository = WRITTEN[row.repo.removeprefix("mini/")]
    return row, repository, repository.tasks[name.rsplit("-", 1)[1]]


def changed_lines(patch: str) -> tuple[list[str], list[str]]:
    lines = [line for line in patch.split("\n") if not line.startswith(("---", "+++"))]
    return [line for line in lines if line.startswith("-")], [line for line in lines if line.startswith("+")]


def changed_functions(repository, task) -> set[str]:
    """Return the innermost definitions of the sound tree whose lines a defect changes."""
    found = set()
    for edit in task.defect:
        text = repository.tree[edit.path]
        start = text.count("\n", 0, text.index(edit.right)) + 1
        end = start + edit.right.rstrip("\n").count("\n")
        around = [
            name
            for name, node in definitions(text)
            if isinstance(node, ast.FunctionDef) and node.lineno <= start and end <= (node.end_lineno or 0)
        ]
        found.add(f"{edit.path}::{around[-1]}" if around else edit.path)
    return found


def test_every_written_task_has_its_row():
    written = {each.instance_id(number) for each in WRITTEN.values() for number in each.tasks}
    assert written == set(SUITE.ids())


@pytest.mark.parametrize("name", ids("tier1"))
def test_a_tier_1_task_is_one_wrong_line_of_a_named_family(name):
    row, _, task = task_of(name)
    removed, added = changed_lines(row.patch)
    assert (len(removed), len(added)) == (1, 1)
    assert task.family in FAMILIES
    assert row.difficulty == "<15 min fix"


@pytest.mark.parametrize("name", ids("tier1"))
def test_a_tier_1_issue_is_short_and_names_function_and_file(name):
    row, repository, task = task_of(name)
    match = re.match(r"`([\w.]+)` in `([\w/.]+)` ", row.problem_statement)
    assert match is not None
    assert len(row.problem_statement.split()) <= 60
    assert task.defect[0].path == match[2]
    assert match[1] in {name for name, _ in definitions(repository.tree[match[2]])}


@pytest.mark.parametrize("name", ids("tier2"))
def test_a_tier_2_task_lies_within_one_function(name):
    row, repository, task = task_of(name)
    removed, added = changed_lines(row.patch)
    assert len(file_patches(row.patch)) == 1
    assert max(len(removed), len(added)) >= 2
    assert len(changed_functions(repository, task)) == 1


@pytest.mark.parametrize("name", ids("tier3"))
def test_a_tier_3_task_needs_two_files(name):
    assert len(file_patches(SUITE.row(name).patch)) == 2


@pytest.mark.parametrize("name", ids("all"))
def test_a_gold_patch_touches_no_test_and_a_test_patch_nothing_else(name):
    row = SUITE.row(name)
    assert re.findall(r"^\+\+\+ b/tests/", row.patch, re.MULTILINE) == []
    assert set(re.findall(r"^\+\+\+ b/(\w+)/", row.test_patch, re.MULTILINE)) == {"tests"}
    assert changed_lines(row.test_patch)[0] == []


@pytest.mark.parametrize("name", ids("all"))
def test_there_are_tests_that_fail_and_many_that_pass(name):
    row = SUITE.row(name)
    assert row.FAIL_TO_PASS
    assert len(row.PASS_TO_PASS) > 40
    assert not set(row.FAIL_TO_PASS) & set(row.PASS_TO_PASS)


@pytest.mark.parametrize("name", ids("all"))
def test_a_defect_leaves_code_that_can_be_read(name):
    _, repository, task = task_of(name)
    for edit in task.defect:
        ast.parse(with_defect(repository.tree, task.defect)[edit.path])
