"""The small parts: the seccomp program, the wire, the tail of a stream, sealed data."""

import os
import struct
import subprocess
import sys

import pytest

from arena.execute.sandboxes.inside import wire
from arena.execute.sandboxes.inside.seccomp import deny_list
from arena.execute.sandboxes.memory_file import sealed_file
from arena.execute.sandboxes.start import _PACKAGE, _helper_code
from arena.execute.sandboxes.tail import Tail

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000


def run(program: bytes, number: int, architecture: int, arguments: tuple[int, int] = (0, 0)) -> int:
    """Interpret a seccomp program as the kernel does."""
    data = struct.pack("<IIQQQ", number, architecture, 0, *arguments)
    at, accumulator = 0, 0
    while True:
        code, if_true, if_false, constant = struct.unpack_from("HBBI", program, at * 8)
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("<I", data, constant)[0]
        elif code == 0x06:
            return int(constant)
        else:
            holds = {0x15: accumulator == constant, 0x35: accumulator >= constant, 0x45: bool(accumulator & constant)}
            at += if_true if holds[code] else if_false


@pytest.mark.parametrize(
    ("machine", "architecture", "ptrace", "clone", "write"),
    [("x86_64", 0xC000003E, 101, 56, 1), ("aarch64", 0xC00000B7, 117, 220, 64)],
)
def test_the_filter_denies_what_it_should_and_nothing_else(
    machine: str, architecture: int, ptrace: int, clone: int, write: int
) -> None:
    program = deny_list(machine)
    assert run(program, write, architecture) == ALLOW
    assert run(program, ptrace, architecture) == EPERM
    assert run(program, 435, architecture) == ENOSYS
    assert run(program, write, 0x40000003) == KILL
    assert [run(program, clone, architecture, (flags, 0)) for flags in (0x11, 0x3D0F00)] == [ALLOW, ALLOW]
    assert [run(program, clone, architecture, (1 << bit, 0)) for bit in (17, 25, 26, 27, 28, 29, 30)] == [EPERM] * 7


@pytest.mark.parametrize(
    ("machine", "architecture", "numbers"), [("x86_64", 0xC000003E, (302, 141)), ("aarch64", 0xC00000B7, (261, 140))]
)
def test_a_process_may_set_its_own_limits_and_nobody_elses(
    machine: str, architecture: int, numbers: tuple[int, int]
) -> None:
    program = deny_list(machine)
    prlimit, setpriority = numbers
    assert [run(program, prlimit, architecture, (pid, 7)) for pid in (0, 1, 99)] == [ALLOW, EPERM, EPERM]
    tried = [(0, 0), (0, 1), (1, 0), (2, 0)]
    assert [run(program, setpriority, architecture, which) for which in tried] == [ALLOW, EPERM, EPERM, EPERM]


def test_an_unknown_processor_gets_no_filter_at_all() -> None:
    with pytest.raises(OSError, match="no seccomp table for the processor riscv64"):
        deny_list("riscv64")


def test_an_answer_is_whole_or_none() -> None:
    raw = wire.answer(wire.FILE_ERROR, 2, "No such file")
    assert wire.read_answer(raw + wire.answer(wire.EXITED, 0)) == (wire.FILE_ERROR, 2, "No such file")
    assert [wire.read_answer(raw[:size]) for size in range(len(raw))] == [None] * len(raw)


def test_a_tail_keeps_the_end_in_bounded_memory() -> None:
    tail = Tail(10)
    for number in range(1000):
        tail.add(b"%03d" % number)
        assert len(tail._kept) <= 23
    assert tail.value() == b"6997998999"


def test_the_helper_imports_nothing_that_would_slow_every_start() -> None:
    script = (
        "import marshal, sys\n"
        "marshal.load(sys.stdin.buffer)\n"
        f"package = sys.modules['{_PACKAGE}'] = type(sys)('{_PACKAGE}')\n"
        "for name, code in marshal.load(sys.stdin.buffer):\n"
        f"    module = sys.modules['{_PACKAGE}.' + name] = type(sys)(name)\n"
        "    setattr(package, name, module)\n"
        "    exec(code, module.__dict__)\n"
        "print(*sorted({'collections', 'enum', 're', 'socket', 'typing', 'warnings'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], check=True, capture_output=True, input=_helper_code()
    )
    assert done.stdout == b"\n"


def test_sealed_data_can_be_read_and_not_changed() -> None:
    descriptor = sealed_file(b"given")
    try:
        assert os.read(descriptor, 100) == b"given"
        with pytest.raises(PermissionError):
            os.write(descriptor, b"more")
        with pytest.raises(PermissionError):
            os.ftruncate(descriptor, 1 << 20)
    finally:
        os.close(descriptor)
