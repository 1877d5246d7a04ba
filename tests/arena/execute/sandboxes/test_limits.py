"""A sandbox takes no more than it was given, and what it took can be ended and given back."""

import resource
import time

import pytest
from inspect_ai.util import SandboxEnvironment, SandboxEnvironmentLimits

from arena.execute.sandboxes.open import open_sandbox
from arena.suites.environment import BubblewrapEnvironment

MB = 1 << 20


async def bash(sandbox: SandboxEnvironment, script: str, timeout: int = 60) -> tuple[int, str]:
    done = await sandbox.exec(["bash", "-c", script], timeout=timeout)
    return done.returncode, done.stdout


async def test_a_fork_bomb_is_ended_by_its_timeout_and_the_sandbox_goes_on(sandbox: SandboxEnvironment) -> None:
    with pytest.raises(TimeoutError):
        await sandbox.exec(["bash", "-c", "bomb() { bomb | bomb & }; bomb; sleep 100"], timeout=3)
    code, processes = await bash(sandbox, "ps -e --no-headers -o comm")
    assert code == 0
    assert processes.count("bash") <= 1, processes


async def test_the_number_of_processes_is_limited_and_files_can_still_be_read(sandbox: SandboxEnvironment) -> None:
    await sandbox.write_file("kept", "still here")
    forks = "for (1..100) { my $pid = fork; if (defined $pid) { $pid or exec qw(sleep 300); $n++ } } print $n"
    done = await sandbox.exec(["perl", "-e", forks])
    assert 50 < int(done.stdout) <= 64
    assert await sandbox.read_file("kept") == "still here"
    refused = await sandbox.exec(["perl", "-e", "print defined fork ? 'forked' : 'refused'"])
    assert refused.stdout == "refused"


async def test_one_process_cannot_have_more_memory_than_the_sandbox(sandbox: SandboxEnvironment) -> None:
    code, said = await bash(sandbox, "perl -e '$x = chr(65) x (2 << 30); print length $x'")
    assert code != 0
    assert str(2 << 30) not in said
    assert (await bash(sandbox, "echo on"))[1] == "on\n"


async def test_many_processes_together_cannot_have_more_memory_than_the_sandbox(sandbox: SandboxEnvironment) -> None:
    if sandbox.limits_kind == "rlimit":  # type: ignore[attr-defined]
        pytest.skip("rlimits, all that can be had here, limit each process but not their sum")
    script = "for i in 1 2 3 4 5 6; do perl -e '$x = chr(65) x (200 << 20); sleep 1; print qq(lived\\n)' & done; wait"
    _, survived = await bash(sandbox, script)
    assert survived.count("lived") <= 2
    assert (await bash(sandbox, "echo on"))[1] == "on\n"


async def test_all_writable_folders_together_hold_no_more_than_the_disk(sandbox: SandboxEnvironment) -> None:
    script = "for d in /tmp /workspace ~ /var/tmp /dev/shm; do head -c 40M /dev/zero > $d/f 2>/dev/null; done; "
    _, sizes = await bash(sandbox, script + "cat /tmp/f /workspace/f ~/f /var/tmp/f /dev/shm/f | wc -c")
    assert 60 * MB < int(sizes) <= 64 * MB


async def test_the_number_of_files_is_limited(sandbox: SandboxEnvironment) -> None:
    _, made = await bash(sandbox, "cd /tmp; seq 20000 | xargs touch 2>/dev/null; ls | wc -l")
    assert 4000 < int(made) <= 5000


async def test_one_file_cannot_be_longer_than_it_may(sandbox: SandboxEnvironment) -> None:
    code, _ = await bash(sandbox, "truncate -s 100M big")
    assert code != 0


async def test_folders_beside_the_disk_cannot_be_written(sandbox: SandboxEnvironment) -> None:
    script = "for d in / /etc /usr /dev /proc /var /var/lib /.arena; do touch $d/x 2>/dev/null && echo $d; done"
    _, written = await bash(sandbox, script)
    assert written == ""


async def test_more_output_than_the_limit_ends_in_its_tail_and_in_bounded_memory(sandbox: SandboxEnvironment) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = await sandbox.exec(["bash", "-c", "head -c 200M /dev/zero | tr '\\0' x; echo end"], timeout=60)
    limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
    assert done.returncode == 0
    assert len(done.stdout) == limit
    assert done.stdout.endswith("xend\n")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * limit / 1024


async def test_endless_output_is_ended_by_the_timeout_and_its_tail_is_told(sandbox: SandboxEnvironment) -> None:
    started = time.monotonic()
    with pytest.raises(TimeoutError) as error:
        await sandbox.exec(["yes"], timeout=1)
    assert time.monotonic() - started < 5
    assert error.value.truncated_output.endswith("y\ny\n")  # type: ignore[attr-defined]


@pytest.mark.slow
async def test_ten_gigabytes_are_contained_alone_and_by_twenty() -> None:
    async with open_sandbox(BubblewrapEnvironment(memory_mb=512, pids=128, disk_mb=200)) as sandbox:
        code, _ = await bash(sandbox, "python3 -c 'print(len(bytearray(10 << 30)))'", 120)
        assert code != 0
        if sandbox.limits_kind == "rlimit":  # type: ignore[attr-defined]
            pytest.skip("rlimits, all that can be had here, limit each process but not their sum")
        script = (
            "for i in $(seq 20); do perl -e 'for (1..512) { $s .= chr(65) x 1048576 } print qq(lived\\n)' & done; wait"
        )
        _, survived = await bash(sandbox, script, 120)
        assert survived.count("lived") <= 1
        assert (await bash(sandbox, "echo on"))[1] == "on\n"


@pytest.mark.slow
async def test_a_gigabyte_of_output_and_a_long_fork_bomb_leave_the_host_alone(sandbox: SandboxEnvironment) -> None:
    done = await sandbox.exec(["bash", "-c", "head -c 1G /dev/zero | tr '\\0' x"], timeout=120)
    assert len(done.stdout) == SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
    with pytest.raises(TimeoutError):
        await sandbox.exec(["bash", "-c", "bomb() { bomb | bomb & }; bomb; sleep 100"], timeout=15)
    assert (await bash(sandbox, "echo on"))[1] == "on\n"


async def test_the_processor_is_shared_out(sandbox: SandboxEnvironment) -> None:
    if sandbox.limits_kind == "rlimit":  # type: ignore[attr-defined]
        pytest.skip("rlimits cannot share out the processor")
    script = "for i in 1 2; do timeout 1 sh -c 'while :; do :; done' & done; wait; times"
    _, said = await bash(sandbox, script)
    user, system = (sum_of.rstrip("s").partition("m") for sum_of in said.splitlines()[-1].split())
    used = float(user[2]) + float(system[2])
    assert used < 1.5, "two busy loops for a second used more than the one processor of the sandbox"
