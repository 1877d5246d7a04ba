"""What a hostile program inside a sandbox tries, and what it must not get."""

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai.util import SandboxEnvironment

from arena.execute.sandboxes.bubblewrap import BubblewrapSandbox

SECRET = "a secret of the host"


async def bash(sandbox: SandboxEnvironment, script: str, user: str | None = None) -> str:
    done = await sandbox.exec(["bash", "-c", script], user=user, timeout=30)
    return done.stdout + done.stderr


def powerful(sandbox: SandboxEnvironment) -> str | None:
    """Return the most powerful user that a command can run as."""
    return None if sandbox.as_type(BubblewrapSandbox)._box.one_user else "root"


@pytest.fixture
def secret() -> Iterator[Path]:
    """A file that everybody on the host may read, but no sandbox."""
    with tempfile.NamedTemporaryFile("w", dir="/tmp", prefix="arena-secret-") as file:
        file.write(SECRET)
        file.flush()
        Path(file.name).chmod(0o644)
        yield Path(file.name)


async def test_the_hosts_files_are_not_there(sandbox: SandboxEnvironment, secret: Path) -> None:
    places = f"{secret} /etc/hostname /etc/fstab /home/* /root/.* /mnt /srv /opt /var/log/* {Path(__file__)}"
    seen = await bash(sandbox, f"for f in {places}; do [ -s $f ] && [ ! -d $f ] && echo $f; done", powerful(sandbox))
    assert seen == ""


async def test_no_environment_of_the_host_can_be_read(sandbox: SandboxEnvironment) -> None:
    os.environ["ARENA_TEST_KEY"] = SECRET
    try:
        for user in {None, powerful(sandbox)}:
            found = await bash(sandbox, "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'", user)
            assert "ARENA_TEST_KEY" not in found
            assert "PATH=" in found
    finally:
        del os.environ["ARENA_TEST_KEY"]


async def test_a_command_inherits_nothing_but_its_three_streams(sandbox: SandboxEnvironment) -> None:
    listing = await sandbox.exec(["ls", "-l", "/proc/self/fd"])
    numbers = [line.split()[8] for line in listing.stdout.splitlines()[1:]]
    assert numbers == ["0", "1", "2", "3"], listing.stdout  # the fourth is the listing's own


async def test_the_helper_cannot_be_looked_into(sandbox: SandboxEnvironment) -> None:
    parts = "environ root cwd exe maps mem fd/0 fd/8"
    script = f"for p in {parts}; do p=/proc/1/$p; (readlink $p; ls $p/; head -qc 1 $p) 2>/dev/null; done; :"
    for user in {None, powerful(sandbox)}:
        assert await bash(sandbox, script, user) == ""


async def test_only_a_users_own_processes_are_seen(sandbox: SandboxEnvironment) -> None:
    for user in {None, powerful(sandbox)}:
        assert await bash(sandbox, "ls -d /proc/1 /proc/$PPID 2>/dev/null; set -- /proc/[0-9]*; echo $#", user) == "1\n"


async def test_the_helper_cannot_be_starved_or_offered_to_the_memory_killer(sandbox: SandboxEnvironment) -> None:
    tries = (
        "echo 1000 > /proc/1/oom_score_adj; prlimit --pid 1 --cpu=1; renice 19 -p 1; chrt --idle -p 0 1; taskset -p 1 1"
    )
    for user in {None, powerful(sandbox)}:
        for attempt in tries.split("; "):
            assert not (await sandbox.exec(["bash", "-c", attempt], user=user)).success, attempt
    assert (await sandbox.exec(["sh", "-c", "ulimit -n 100; nice true && chrt --idle 0 true"])).success


async def test_the_helper_cannot_be_signalled_to_death(sandbox: SandboxEnvironment) -> None:
    script = "for s in $(seq 64); do kill -$s 1 2>/dev/null; done; echo sent"
    assert await bash(sandbox, script, powerful(sandbox)) == "sent\n"
    assert await bash(sandbox, "echo on") == "on\n"


@pytest.mark.parametrize(
    "call",
    [
        "101, 0, 1",
        "321, 0, 0, 0",
        "425, 8, 0",
        "165, 0, 0, 0",
        "272, 0x10000000",
        "308, 0, 0",
        "438, 0, 0",
        "250, 0, 0",
    ],
    ids=["ptrace", "bpf", "io_uring", "mount", "unshare", "setns", "pidfd_getfd", "keyctl"],
)
async def test_a_system_call_that_no_program_needs_is_refused(sandbox: SandboxEnvironment, call: str) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("these are x86-64's numbers")
    code = f"$! = 0; syscall({call}); print $! + 0"
    done = await sandbox.exec(["perl", "-e", code], user=powerful(sandbox))
    assert done.stdout == "1", "EPERM"


async def test_no_namespace_can_be_made_inside(sandbox: SandboxEnvironment) -> None:
    for flags in ("-Ur", "-m", "-n", "-p"):
        assert not (await sandbox.exec(["unshare", flags, "true"], user=powerful(sandbox))).success
    python = "import ctypes; libc = ctypes.CDLL(None); print(libc.syscall(56, 0x10000011, 0, 0, 0, 0))"
    assert (await sandbox.exec(["/usr/bin/python3", "-c", python])).stdout in ("-1\n", "")


async def test_rights_cannot_be_had_back(sandbox: SandboxEnvironment) -> None:
    status = await bash(sandbox, "grep -E 'CapPrm|CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status")
    assert dict(line.split() for line in status.splitlines()) == {
        "CapPrm:": "0" * 16,
        "CapEff:": "0" * 16,
        "CapBnd:": "0" * 16,
        "NoNewPrivs:": "1",
        "Seccomp:": "2",
    }
    assert await bash(sandbox, "su -c id 2>/dev/null; sudo -n id 2>/dev/null; :") == ""
    tries = "mount -t tmpfs x /mnt; umount /usr; mknod /tmp/k b 254 0; echo 1 > /proc/sys/kernel/core_pattern; "
    tries += "touch /usr/x; mount -o remount,rw /usr; echo c > /proc/sysrq-trigger; echo 1 > /proc/sys/vm/drop_caches"
    await bash(sandbox, f"({tries}) 2>/dev/null", powerful(sandbox))
    assert await bash(sandbox, "ls /usr/x /tmp/k 2>/dev/null; :") == ""


async def test_nothing_of_the_hosts_network_can_be_reached(sandbox: SandboxEnvironment) -> None:
    with socket.socket() as tcp, socket.socket(socket.AF_UNIX) as unix:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        unix.bind("\0arena-test-abstract")
        unix.listen()
        port = tcp.getsockname()[1]
        assert "refused" in await bash(sandbox, f"exec 3<>/dev/tcp/127.0.0.1/{port}")
        assert "unreachable" in await bash(sandbox, "exec 3<>/dev/tcp/192.0.2.1/80")
        assert "arena-test-abstract" not in await bash(sandbox, "cat /proc/net/unix")
        assert (await bash(sandbox, "tail -n +3 /proc/net/dev | wc -l")).strip() == "1"


async def test_links_lead_nowhere_that_the_sandbox_cannot_go_itself(sandbox: SandboxEnvironment, secret: Path) -> None:
    await bash(
        sandbox, f"ln -s {secret} host; ln -s / top; ln -s loop loop; ln -s ../../../../..{secret} up; mkfifo pipe"
    )
    for path in ("host", f"top{secret}", "loop", "up", f"../../../..{secret}", "pipe", "/dev/zero", "/proc/kcore"):
        with pytest.raises(OSError):  # noqa: PT011 - which one is the kernel's business
            await sandbox.read_file(path)
    for path in ("top/usr/evil", "pipe", "/usr/evil", "loop/x", "/dev/full", "/proc/self/mem"):
        with pytest.raises(OSError):  # noqa: PT011
            await sandbox.write_file(path, "evil")
    assert secret.read_text() == SECRET


@pytest.mark.parametrize("magic", ["self/fd/4", "self/exe", "1/root/etc/passwd", "1/fd/0", "self/cwd/x", "self/root/x"])
async def test_magic_links_are_not_followed(sandbox: SandboxEnvironment, magic: str) -> None:
    await sandbox.write_file("x", "x")
    await bash(sandbox, f"ln -s /proc/{magic} link")
    with pytest.raises(OSError):  # noqa: PT011
        await sandbox.read_file("link")
    with pytest.raises(OSError):  # noqa: PT011
        await sandbox.write_file("link", "spoofed")


async def test_a_folder_that_is_swapped_for_a_link_meanwhile_gains_nothing(sandbox: SandboxEnvironment) -> None:
    race = "mkdir -p d; while :; do mv -T d d2; ln -sfn /etc d; rm d; mv -T d2 d; done >/dev/null 2>&1 &"
    await bash(sandbox, race)
    before = Path("/etc/passwd").read_bytes()
    for _ in range(20):
        try:
            await sandbox.write_file("d/passwd", "evil")
        except OSError:
            continue
    assert Path("/etc/passwd").read_bytes() == before
    assert (await bash(sandbox, "head -c 5 /etc/passwd")) == "root:"


async def test_the_host_cannot_be_made_to_read_more_than_the_limit(sandbox: SandboxEnvironment) -> None:
    from inspect_ai.util import OutputLimitExceededError
    from inspect_ai.util._sandbox.limits import override_max_read_file_size

    await bash(sandbox, "yes > growing & truncate -s 40M sparse")
    with override_max_read_file_size(1 << 20), pytest.raises(OutputLimitExceededError):
        await sandbox.read_file("sparse")


async def test_stdin_cannot_be_grown_into_the_hosts_memory(sandbox: SandboxEnvironment) -> None:
    script = "echo more >> /proc/self/fd/0; truncate -s 30M /proc/self/fd/0; cat"
    done = await sandbox.exec(["bash", "-c", script], input="given")
    assert done.stdout == "given"
    assert done.stderr != ""
