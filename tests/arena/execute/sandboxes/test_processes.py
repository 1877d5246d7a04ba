"""Commands, what they leave behind, and how it all ends."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from inspect_ai.util import SandboxEnvironment

from arena.errors import SandboxError
from arena.execute.sandboxes.box import Box
from arena.execute.sandboxes.bubblewrap import BubblewrapSandbox
from arena.execute.sandboxes.open import open_sandbox
from arena.suites.environment import BubblewrapEnvironment, HostTree


def alive(marker: str) -> int:
    """Count the host's processes with `marker` among their arguments."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += marker.encode() in path.read_bytes().split(b"\0")
        except OSError:
            continue
    return found


def comes_true(condition: Callable[[], bool], within_s: float = 10) -> bool:
    deadline = time.monotonic() + within_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


async def test_a_background_process_lasts_to_the_next_command_and_does_not_hold_the_first_up(
    sandbox: SandboxEnvironment,
) -> None:
    started = time.monotonic()
    await sandbox.exec(["bash", "-c", "sleep 7001 & echo started"], timeout=20)
    assert time.monotonic() - started < 5
    assert (await sandbox.exec(["pgrep", "-f", "sleep 7001"])).success


async def test_what_ignores_signals_or_leaves_its_session_ends_with_its_command(sandbox: SandboxEnvironment) -> None:
    stubborn = "trap '' TERM INT HUP; (trap '' TERM; setsid sleep 7002 >/dev/null 2>&1 &); setsid sleep 7002 & sleep 99"
    with pytest.raises(TimeoutError):
        await sandbox.exec(["bash", "-c", stubborn], timeout=1)
    assert not (await sandbox.exec(["pgrep", "-f", "sleep 7002"])).success


async def test_a_process_that_hides_itself_ends_with_its_command(sandbox: SandboxEnvironment) -> None:
    hidden = "syscall(157, 4, 0, 0, 0, 0); $SIG{TERM} = 'IGNORE'; fork; setpgrp; sleep 1 while 1; # 7008"
    with pytest.raises(TimeoutError):
        await sandbox.exec(["perl", "-e", hidden, "7008"], timeout=1)
    assert alive("7008") == 0


async def test_a_timeout_leaves_the_background_processes_of_earlier_commands(sandbox: SandboxEnvironment) -> None:
    await sandbox.exec(["bash", "-c", "sleep 7003 >/dev/null 2>&1 &"])
    with pytest.raises(TimeoutError):
        await sandbox.exec(["sleep", "99"], timeout=1)
    assert (await sandbox.exec(["pgrep", "-f", "sleep 7003"])).success


async def test_a_cancelled_command_is_ended(sandbox: SandboxEnvironment) -> None:
    task = asyncio.create_task(sandbox.exec(["sleep", "7004"]))
    while not (await sandbox.exec(["pgrep", "-f", "sleep 7004"])).success:
        await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not (await sandbox.exec(["pgrep", "-f", "sleep 7004"])).success


async def test_commands_run_beside_each_other(sandbox: SandboxEnvironment) -> None:
    started = time.monotonic()
    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(lambda: sandbox.exec(["sleep", "1"], concurrency=False))
    assert time.monotonic() - started < 4


async def test_closing_a_sandbox_ends_everything_in_it_and_leaves_no_cgroup() -> None:
    async with open_sandbox(BubblewrapEnvironment()) as sandbox:
        await sandbox.exec(["bash", "-c", "trap '' TERM; setsid sleep 7005 >/dev/null 2>&1 &"])
        assert comes_true(lambda: alive("7005") == 1)
        folders = sandbox.as_type(BubblewrapSandbox)._box.cgroup.folders
    assert alive("7005") == 0
    assert not any(folder.exists() for folder in folders)


async def test_opening_using_and_closing_sandboxes_leaves_no_descriptor_open(tmp_path: Path) -> None:
    async def use() -> None:
        copy = HostTree(source=str(tmp_path), target="/x", mode="copy")
        async with open_sandbox(BubblewrapEnvironment(trees=(copy,))) as sandbox:
            await sandbox.exec(["cat"], input="in")
            await sandbox.write_file("file", b"data")
            with pytest.raises(FileNotFoundError):
                await sandbox.read_file("none")
            with pytest.raises(TimeoutError):
                await sandbox.exec(["sleep", "9"], timeout=0)
        with pytest.raises(SandboxError):
            async with open_sandbox(BubblewrapEnvironment(trees=(HostTree(source="/no/such", target="/y"),))):
                pass

    await use()
    before = sorted(path.name for path in Path("/proc/self/fd").iterdir())
    for _ in range(3):
        await use()
    assert sorted(path.name for path in Path("/proc/self/fd").iterdir()) == before


def test_a_sandbox_ends_with_the_process_that_opened_it(tmp_path: Path) -> None:
    script = (
        "from arena.execute.sandboxes.box import Box\n"
        "from arena.execute.sandboxes.requests import ask, request\n"
        "from arena.suites.environment import BubblewrapEnvironment\n"
        "import anyio, time\n"
        "box = Box.open(BubblewrapEnvironment())\n"
        "command = ['bash', '-c', 'setsid sleep 7006 >/dev/null 2>&1 &']\n"
        "anyio.run(ask, box, request('exec', command=command), None, 1000)\n"
        "print('opened', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as opener:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "opened\n"
        assert comes_true(lambda: alive("7006") == 1)
        opener.kill()
    assert comes_true(lambda: alive("7006") == 0)


def helper_of(box: Box) -> int:
    """Return the host's number of the sandbox's process 1."""
    text = Path(f"/proc/self/fdinfo/{box.started.helper}").read_text()
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith("Pid:")))


@pytest.mark.parametrize("busy", [True, False], ids=["while a command runs", "between commands"])
async def test_a_sandbox_whose_first_process_is_gone_is_lost_and_says_so(busy: bool) -> None:
    async with open_sandbox(BubblewrapEnvironment()) as sandbox:
        box = sandbox.as_type(BubblewrapSandbox)._box
        assert not box.lost
        if busy:
            asyncio.get_running_loop().call_later(0.3, os.kill, helper_of(box), signal.SIGKILL)
        else:
            os.kill(helper_of(box), signal.SIGKILL)
        with pytest.raises(SandboxError, match="lost"):
            await sandbox.exec(["sleep", "20"])
        with pytest.raises(SandboxError, match="lost"):
            await sandbox.read_file("/etc/passwd")


async def test_a_command_that_kills_its_supervisor_gains_no_time(sandbox: SandboxEnvironment) -> None:
    """As an ordinary user a command has the supervisor's user id; where root opens sandboxes, root's commands do."""
    user = None if sandbox.as_type(BubblewrapSandbox)._box.one_user else "root"
    script = "setsid sleep 7007 >/dev/null 2>&1 & kill -9 $PPID; sleep 7007"
    done = await sandbox.exec(["bash", "-c", script], user=user, timeout=20)
    assert done.returncode == 137
    assert not (await sandbox.exec(["pgrep", "-f", "sleep 7007"])).success


async def test_what_cannot_be_started_is_told_as_a_shell_would(sandbox: SandboxEnvironment) -> None:
    missing = await sandbox.exec(["no-such-program"])
    assert (missing.returncode, missing.stderr) == (127, "no-such-program: No such file or directory")
    nowhere = await sandbox.exec(["true"], cwd="/no/such/folder")
    assert (nowhere.returncode, nowhere.stderr) == (127, "/no/such/folder: No such file or directory")
    too_long = await sandbox.exec(["true", "x" * 200_000])
    assert (too_long.returncode, too_long.stderr) == (126, "true: Argument list too long")
    with pytest.raises(ValueError, match="embedded null byte"):
        await sandbox.exec(["echo", "a\0b"])
    assert (await sandbox.exec(["echo", "\ud83d"])).stdout == "?\n"
