"""The agent's work as a patch, read on real repositories in Inspect's local sandbox."""

import re
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox.local import LocalSandboxEnvironment

from scorers.worktree import PatchError, checkout, take_patch


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def make(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "code.py").write_text("a = 1\n")
    (folder / "gone.py").write_text("b = 2\n")
    (folder / ".gitignore").write_text("build/\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "base")
    return folder


class Work:
    """A work tree that an agent has, and a fresh one with the same path in another sandbox."""

    def __init__(self, folder: Path) -> None:
        self.folder = make(folder / "repo")
        self.kept = folder / "fresh.tar"
        subprocess.run(["tar", "-C", self.folder, "-cf", self.kept, "."], check=True)
        self.copies = 0
        self.box = LocalSandboxEnvironment()

    @asynccontextmanager
    async def fresh(self) -> AsyncIterator[SandboxEnvironment]:
        """Put the fresh tree in the place of the agent's for a while: a local sandbox has no places of its own."""
        self.copies += 1
        aside = self.folder.with_name("aside")
        self.folder.rename(aside)
        self.folder.mkdir()
        subprocess.run(["tar", "-C", self.folder, "-xf", self.kept], check=True)
        yield self.box
        subprocess.run(["rm", "-rf", self.folder], check=True)
        aside.rename(self.folder)

    async def patch(self) -> str:
        async with self.fresh() as clean:
            given = await checkout(clean, str(self.folder))
        self.copies = 0
        return (await take_patch(self.box, str(self.folder), given, self.fresh)).decode()


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    work = Work(tmp_path)
    yield work
    work.box.directory.cleanup()


def files(patch: str) -> list[str]:
    return sorted(line.split(" b/")[-1] for line in patch.splitlines() if line.startswith("diff --git "))


async def test_no_work_is_an_empty_patch(work: Work) -> None:
    assert await work.patch() == ""


async def test_changed_new_and_removed_files_are_the_work_and_junk_is_not(work: Work) -> None:
    (work.folder / "code.py").write_text("a = 2\n")
    (work.folder / "gone.py").unlink()
    (work.folder / "new dir").mkdir()
    (work.folder / "new dir" / "ü.py").write_bytes(b"\xff\x00\n")
    for junk in ("__pycache__/code.cpython-311.pyc", ".pytest_cache/x", "build/x", "a.egg-info/PKG-INFO"):
        (work.folder / junk).parent.mkdir(exist_ok=True)
        (work.folder / junk).write_text("junk")

    patch = await work.patch()

    async with work.fresh() as clean:
        await clean.write_file("/tmp/arena-test-patch", patch)
        applied = await clean.exec(["git", "apply", "/tmp/arena-test-patch"], cwd=str(work.folder))
        Path("/tmp/arena-test-patch").unlink()
        assert applied.success, applied.stderr
        assert sorted(git(work.folder, "status", "--porcelain", "-uall", "-z").split("\0")) == [
            "",
            " D gone.py",
            " M code.py",
            "?? new dir/ü.py",
        ]
        assert (work.folder / "new dir" / "ü.py").read_bytes() == b"\xff\x00\n"


def commit_all(folder: Path) -> None:
    git(folder, "checkout", "-qb", "mine")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "mine")


def hide_in_index(folder: Path) -> None:
    git(folder, "update-index", "--assume-unchanged", "code.py")


def configure(folder: Path) -> None:
    spy = folder.parent / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {folder.parent}/spied\n")
    spy.chmod(0o755)
    for key in ("diff.external", "core.fsmonitor", "filter.x.clean", "diff.x.textconv", "core.pager"):
        git(folder, "config", key, str(spy))
    for key, value in (("diff.noprefix", "true"), ("core.worktree", "/tmp"), ("core.excludesFile", "/dev/null")):
        git(folder, "config", key, value)
    (folder / ".git/info/attributes").write_text("*.py filter=x diff=x -text\n")
    (folder / ".git/info/exclude").write_text("*\n")
    (folder / ".git/hooks").mkdir(exist_ok=True)


def stage_something_else(folder: Path) -> None:
    (folder / ".git/index").write_bytes(b"nonsense")
    (folder / ".git/HEAD").write_text("nonsense\n")


@pytest.mark.parametrize("tamper", [commit_all, hide_in_index, configure, stage_something_else])
async def test_what_was_done_to_git_changes_nothing(work: Work, tamper: Callable[[Path], None]) -> None:
    (work.folder / "code.py").write_text("a = 2\n")
    tamper(work.folder)

    patch = await work.patch()

    assert files(patch) == ["code.py"]
    assert patch.endswith("@@ -1 +1 @@\n-a = 1\n+a = 2\n")
    assert work.copies == 0
    assert not (work.folder.parent / "spied").exists()


def remove_git(folder: Path) -> None:
    subprocess.run(["rm", "-rf", folder / ".git"], check=True)


def begin_anew(folder: Path) -> None:
    remove_git(folder)
    git(folder, "init", "-q")
    commit_all(folder)


def replace_git(folder: Path) -> None:
    remove_git(folder)
    (folder / ".git").symlink_to("/nowhere")


@pytest.mark.parametrize("destroy", [remove_git, begin_anew, replace_git])
async def test_without_its_git_folder_a_tree_is_compared_with_a_fresh_one(
    work: Work, destroy: Callable[[Path], None]
) -> None:
    (work.folder / "code.py").write_text("a = 2\n")
    destroy(work.folder)

    patch = await work.patch()

    assert files(patch) == ["code.py"]
    assert work.copies == 1


async def test_a_checkout_with_changes_of_its_own_is_what_the_work_is_compared_with(work: Work) -> None:
    (work.folder / "code.py").write_text("a = 3\n")
    subprocess.run(["tar", "-C", work.folder, "-cf", work.kept, "."], check=True)
    (work.folder / "code.py").write_text("a = 4\n")

    assert (await work.patch()).endswith("-a = 3\n+a = 4\n")


async def test_a_repository_begun_inside_the_tree_does_not_lose_the_work(work: Work) -> None:
    (work.folder / "code.py").write_text("a = 2\n")
    (work.folder / "inner").mkdir()
    git(work.folder / "inner", "init", "-q")
    (work.folder / "inner" / "x.py").write_text("x = 1\n")

    assert files(await work.patch()) == ["code.py", "inner/x.py"]


async def test_a_patch_of_any_size_is_not_taken(work: Work) -> None:
    (work.folder / "big.txt").write_bytes(b"0123456789abcde\n" * (2**20 + 2**16))

    with pytest.raises(PatchError, match="at most 16777216 are taken"):
        await work.patch()


async def test_nothing_is_left_in_the_temporary_folder(work: Work) -> None:
    before = set(Path(tempfile.gettempdir()).glob("arena-*"))
    (work.folder / "code.py").write_text("a = 2\n")
    await work.patch()
    remove_git(work.folder)
    await work.patch()

    assert {
        path for path in set(Path(tempfile.gettempdir()).glob("arena-*")) - before if NAME.fullmatch(path.name)
    } == set()


NAME = re.compile(r"arena-[0-9a-f]{32}(\.tar\.gz)?")
