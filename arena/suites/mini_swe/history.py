"""What a task's repository held at each commit, computed from its last state, the defect and the hidden tests."""

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from arena.errors import UsageError
from arena.suites.mini_swe.definition import Commit, Edit, Repository, Tree


@dataclass(frozen=True)
class Snapshot:
    commit: Commit
    tree: Tree


def with_defect(tree: Tree, edits: Iterable[Edit]) -> Tree:
    """Return `tree` with each edit's right text replaced by its wrong one."""
    changed = dict(tree)
    for edit in edits:
        found = changed.get(edit.path, "").count(edit.right)
        if found != 1:
            raise UsageError(f"{edit.path}: {edit.right!r} stands there {found} times; an edit's text must stand once")
        changed[edit.path] = changed[edit.path].replace(edit.right, edit.wrong)
    return changed


def without_tests(tree: Tree, tests: Iterable[str]) -> Tree:
    """Return `tree` without the test functions of these pytest node ids."""
    hidden: dict[str, set[str]] = {}
    for test in tests:
        path, name = test.split("[", 1)[0].split("::", 1)
        hidden.setdefault(path, set()).add(name)
    return {path: without(text, hidden.get(path, ())) for path, text in tree.items()}


def snapshots(repository: Repository, tree: Tree) -> list[Snapshot]:
    """Return the states that lead to `tree`.

    Each commit adds files whole, less the definitions that later commits add to them. So a defect and the absence of
    its tests are as old as the code that they are in, and no commit of a task's repository holds what is right.
    """
    commits = repository.history.commits
    paths = [path for commit in commits for path in commit.adds if "::" not in path]
    if sorted(paths) != sorted(tree):
        odd = sorted(set(paths) ^ set(tree)) or sorted({path for path in paths if paths.count(path) > 1})
        raise UsageError(f"{repository.name}: history and tree/ do not hold the same files once each: {odd}")
    return [Snapshot(commit, _state(commits, number, tree)) for number, commit in enumerate(commits, 1)]


def _state(commits: tuple[Commit, ...], number: int, tree: Tree) -> Tree:
    later: dict[str, set[str]] = {}
    for added in (added for commit in commits[number:] for added in commit.adds if "::" in added):
        path, name = added.split("::", 1)
        later.setdefault(path, set()).add(name)
    present = [path for commit in commits[:number] for path in commit.adds if "::" not in path]
    return {path: without(tree[path], later.get(path, ())) for path in sorted(present)}


def without(source: str, names: Collection[str]) -> str:
    """Return Python source without the definitions of these names (`function`, `Class`, `Class.method`)."""
    if not names:
        return source
    lines = source.splitlines(keepends=True)
    dropped = {number for start, end in _spans(source, names) for number in range(start, end)}
    for start, _ in _spans(source, names):
        above = start - 1
        while above >= 0 and not lines[above].strip():
            dropped.add(above)
            above -= 1
    return "".join(line for number, line in enumerate(lines) if number not in dropped).lstrip("\n")


def _spans(source: str, names: Collection[str]) -> list[tuple[int, int]]:
    """Return the half-open ranges of lines (from 0) that the definitions take up, decorators included."""
    spans = []
    for name, node in definitions(source):
        if name in names and node.end_lineno is not None:
            decorators = getattr(node, "decorator_list", [])
            spans.append((min([node.lineno, *(each.lineno for each in decorators)]) - 1, node.end_lineno))
    return spans


def definitions(source: str) -> list[tuple[str, ast.stmt]]:
    """Return the functions, classes, methods and assigned names at a module's top, with their qualified names."""
    found: list[tuple[str, ast.stmt]] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append((node.name, node))
        if isinstance(node, ast.ClassDef):
            found += [(f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef)]
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.append((node.targets[0].id, node))
    return found
