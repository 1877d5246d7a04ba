import subprocess

import pytest

from arena.errors import UsageError
from arena.suites.mini_swe import suite
from arena.suites.mini_swe.definition import Edit, repositories
from arena.suites.mini_swe.git import build, git
from arena.suites.mini_swe.history import definitions, snapshots, with_defect, without, without_tests
from arena.suites.mini_swe.rows import task_states
from arena.suites.mini_swe.suite import FOLDER

WRITTEN = repositories(FOLDER / "repositories")
SOURCE = '''"""Module."""

import os

LIMIT = 3


@decorated
def first():
    return LIMIT


class Thing:
    def one(self):
        return 1

    def two(self):
        return 2


def last():
    return os.sep
'''


@pytest.mark.parametrize("name", ["first", "Thing", "Thing.one", "Thing.two", "last", "LIMIT"])
def test_a_definition_is_left_out_with_the_blank_lines_before_it(name):
    rest = without(SOURCE, [name])
    assert dict(definitions(SOURCE)).keys() - dict(definitions(rest)).keys() >= {name}
    assert "\n\n\n\n" not in rest
    assert rest.endswith("\n")
    assert not rest.endswith("\n\n")


def test_decorators_go_with_their_function():
    assert "@decorated" not in without(SOURCE, ["first"])


def test_several_definitions_are_left_out_at_once():
    assert [name for name, _ in definitions(without(SOURCE, ["first", "Thing.one"]))] == [
        "LIMIT",
        "Thing",
        "Thing.two",
        "last",
    ]


def test_a_parametrised_test_is_left_out_whole():
    tree = {"tests/test_a.py": "def test_x(a):\n    assert a\n\n\ndef test_y():\n    pass\n"}
    assert without_tests(tree, ["tests/test_a.py::test_x[1]"])["tests/test_a.py"] == "def test_y():\n    pass\n"


@pytest.mark.parametrize(("right", "times"), [("LIMIT", 2), ("nothing", 0)])
def test_a_defect_must_stand_exactly_once(right, times):
    with pytest.raises(UsageError, match=f"stands there {times} times"):
        with_defect({"a.py": SOURCE}, [Edit(path="a.py", right=right, wrong="x")])


@pytest.mark.parametrize("repository", WRITTEN.values(), ids=WRITTEN.keys())
def test_every_commit_adds_what_the_tree_holds(repository):
    states = snapshots(repository, repository.tree)
    assert states[-1].tree == repository.tree
    assert len({str(state.tree) for state in states}) == len(states) >= 4
    dates = [state.commit.date for state in states]
    assert dates == sorted(dates)
    late = [added.split("::", 1) for commit in repository.history.commits for added in commit.adds if "::" in added]
    assert all(name in dict(definitions(repository.tree[path])) for path, name in late)


@pytest.mark.parametrize("name", ["mini__inilite-102", "mini__ratekeeper-201", "mini__spantree-302"])
def test_a_repository_is_built_at_its_base_commit_with_no_future_and_no_remote(tmp_path, name):
    row = suite().row(name)
    repository = WRITTEN[row.repo.removeprefix("mini/")]
    task = repository.tasks[name.rsplit("-", 1)[1]]
    states = task_states(repository, task, row.FAIL_TO_PASS)
    assert build(tmp_path, repository.history.author, states) == row.base_commit
    assert git(tmp_path, "status", "--porcelain") == ""
    assert git(tmp_path, "remote") == ""
    assert git(tmp_path, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
    objects = git(tmp_path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").split("\n")
    blobs = [line.split()[0] for line in objects if line.endswith("blob")]
    contents = [git(tmp_path, "cat-file", "blob", blob) for blob in blobs]
    assert not any(edit.right in content for edit in task.defect for content in contents)
    hidden = {test.split("::")[1].split("[")[0] for test in row.FAIL_TO_PASS}
    assert not any(f"def {test}(" in content for test in hidden for content in contents)


def test_a_users_git_configuration_changes_no_hash(tmp_path, monkeypatch):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(
        "[user]\nname = x\nemail = x@y\n[core]\nautocrlf = true\n[commit]\ngpgsign = true\n"
        "[init]\ndefaultObjectFormat = sha256\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00")
    row = suite().row("mini__gridtext-101")
    repository = WRITTEN["gridtext"]
    (tmp_path / "built").mkdir()
    states = task_states(repository, repository.tasks["101"], row.FAIL_TO_PASS)
    assert build(tmp_path / "built", repository.history.author, states) == row.base_commit
    author = subprocess.run(
        ["git", "log", "-1", "--format=%an"], cwd=tmp_path / "built", capture_output=True, text=True, check=True
    )
    assert author.stdout.strip() == "Tomas Okafor"
