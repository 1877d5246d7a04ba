"""Parts of the host that a sandbox shows or copies."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai.util import SandboxEnvironment

from arena.errors import SandboxError
from arena.execute.sandboxes.open import open_sandbox
from arena.suites.environment import BubblewrapEnvironment, HostTree


@pytest.fixture
def folder() -> Iterator[Path]:
    """A small work tree, below the home folder: for root, out of the reach of any other user."""
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix="arena-test-") as name:
        root = Path(name, "tree")
        (root / "deep" / "er").mkdir(parents=True)
        (root / "deep" / "er" / "file.txt").write_text("deep")
        (root / "run.sh").write_text("#!/bin/sh\necho ran\n")
        (root / "run.sh").chmod(0o755)
        (root / "link").symlink_to("deep/er/file.txt")
        yield root


def environment(*trees: HostTree, workdir: str = "/workspace", user: str = "agent") -> BubblewrapEnvironment:
    return BubblewrapEnvironment(trees=trees, workdir=workdir, user=user)


async def out(sandbox: SandboxEnvironment, script: str) -> str:
    done = await sandbox.exec(["sh", "-c", script])
    return done.stdout + done.stderr


@pytest.mark.parametrize("target", ["/opt/tree", "/workspace/tree", "/home/agent/a/b", "/tmp/t", "/root-like/x"])
async def test_a_tree_is_shown_read_only_at_any_place(folder: Path, target: str) -> None:
    async with open_sandbox(environment(HostTree(source=str(folder), target=target))) as sandbox:
        assert await out(sandbox, f"cat {target}/link; {target}/run.sh") == "deepran\n"
        assert "Read-only file system" in await out(sandbox, f"touch {target}/new")
    assert not (folder / "new").exists()


async def test_a_single_file_can_be_shown_and_copied(folder: Path) -> None:
    source = str(folder / "deep" / "er" / "file.txt")
    shown, copied = (
        HostTree(source=source, target="/opt/a.txt"),
        HostTree(source=source, target="/x/b.txt", mode="copy"),
    )
    async with open_sandbox(environment(shown, copied)) as sandbox:
        assert (
            await out(sandbox, "cat /opt/a.txt /x/b.txt && echo more >> /x/b.txt && cat /x/b.txt")
            == "deepdeepdeepmore\n"
        )
        assert "cannot create /opt/a.txt" in await out(sandbox, "echo more >> /opt/a.txt")
    assert Path(source).read_text() == "deep"


@pytest.mark.parametrize("user", ["agent", "root"])
async def test_a_copy_of_a_folder_belongs_to_the_sandboxs_user(folder: Path, user: str) -> None:
    (folder / "private").write_text("readable by its owner only")
    (folder / "private").chmod(0o600)
    copy = HostTree(source=str(folder), target="/testbed", mode="copy")
    async with open_sandbox(environment(copy, workdir="/testbed", user=user)) as sandbox:
        assert await out(sandbox, "whoami; stat -c %U . private; pwd; cat private") == (
            f"{user}\n{user}\n{user}\n/testbed\nreadable by its owner only"
        )
        assert await out(sandbox, "rm -r deep && echo changed > run.sh && ls") == "link\nprivate\nrun.sh\n"
    assert (folder / "deep" / "er" / "file.txt").read_text() == "deep"


async def test_an_archive_is_unpacked_and_the_working_folder_may_lie_in_it(folder: Path) -> None:
    archive = folder.parent / "tree.tar"
    subprocess.run(["tar", "-cf", archive, "-C", folder, "."], check=True)
    copy = HostTree(source=str(archive), target="/testbed", mode="copy")
    async with open_sandbox(environment(copy, workdir="/testbed/deep/er")) as sandbox:
        assert await out(sandbox, "pwd; cat file.txt; ../../run.sh") == "/testbed/deep/er\ndeepran\n"


async def test_the_interpreter_of_this_process_can_be_shown(folder: Path) -> None:
    shown = HostTree(source=sys.base_prefix, target="/opt/python")
    async with open_sandbox(environment(shown)) as sandbox:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        command = ["/opt/python/bin/" + version, "-c", "import ssl, sqlite3, sys; print(sys.prefix)"]
        done = await sandbox.exec(command, env={"LD_LIBRARY_PATH": "/opt/python/lib"})
        assert done.stdout == "/opt/python\n", done.stderr


async def test_each_sandbox_has_a_copy_of_its_own(folder: Path) -> None:
    two = environment(HostTree(source=str(folder), target="/testbed", mode="copy"), workdir="/testbed")
    async with open_sandbox(two) as first, open_sandbox(two) as second:
        await first.write_file("run.sh", "changed")
        assert "ran" in await second.read_file("run.sh")


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (HostTree(source="/no/such/folder", target="/x"), "/no/such/folder"),
        (HostTree(source="/no/such/folder", target="/x", mode="copy"), "cannot copy /no/such/folder"),
        (HostTree(source="/usr/bin", target="relative"), "absolute path"),
        (HostTree(source="/usr/bin", target="/"), "below /"),
        (HostTree(source="/usr/bin", target="/x/../../y"), "without '..'"),
        (HostTree(source="/usr/bin", target="/usr/no/such/place"), "Read-only file system: /usr/no"),
    ],
)
async def test_a_tree_that_cannot_be_had_is_a_clear_error(tree: HostTree, message: str) -> None:
    with pytest.raises(SandboxError, match=message):
        async with open_sandbox(environment(tree)):
            pass


async def test_a_damaged_archive_and_one_that_does_not_fit_are_clear_errors(folder: Path) -> None:
    archive = folder.parent / "bad.tar"
    archive.write_bytes(b"no archive at all" * 100)
    with pytest.raises(SandboxError, match="does not look like a tar archive"):
        async with open_sandbox(environment(HostTree(source=str(archive), target="/x", mode="copy"))):
            pass
    (folder / "big").write_bytes(bytes(2 << 20))
    copy = HostTree(source=str(folder), target="/x", mode="copy")
    with pytest.raises(SandboxError, match="Wrote only"):
        async with open_sandbox(BubblewrapEnvironment(trees=(copy,), disk_mb=1)):
            pass
