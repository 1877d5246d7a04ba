"""The system calls that Python 3.11 has no function for."""

import ctypes
import os
import struct

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
SIG_DEFAULT, SIG_IGNORE = 0, 1
SIGKILL, SIGCHLD, SIGSTOP, SIGXFSZ = 9, 17, 19, 25

_PR_CAPBSET_DROP, _PR_SET_DUMPABLE, _PR_SET_SECCOMP = 24, 4, 22
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SYS_OPENAT2, _AT_FDCWD, _RESOLVE_NO_MAGICLINKS = 437, -100, 0x02
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def _prctl(option: int, value: int = 0, pointer: object = None) -> None:
    _check(_libc.prctl(option, ctypes.c_ulong(value), pointer, None, None), f"prctl {option}")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    _check(_libc.mount(*encoded[:3], ctypes.c_ulong(flags), encoded[3]), target)


def detach(target: str) -> None:
    """Take a mount out of sight; what is open on it stays usable."""
    _check(_libc.umount2(os.fsencode(target), MNT_DETACH), target)


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def set_signals(action: int) -> None:
    """Give every signal the same action, `SIG_DEFAULT` or `SIG_IGNORE`."""
    for number in range(1, 65):
        _libc.signal(number, ctypes.c_void_p(action))


def set_signal(number: int, action: int) -> None:
    _libc.signal(number, ctypes.c_void_p(action))


def set_hidden(hidden: bool) -> None:
    """Close or open this process's memory and /proc entries to others of the same user."""
    _prctl(_PR_SET_DUMPABLE, 0 if hidden else 1)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def drop_capability(capability: int) -> None:
    """Take a capability out of what programs started from here can ever have."""
    _prctl(_PR_CAPBSET_DROP, capability)


def hold_capabilities(kept: frozenset[int]) -> None:
    """Hold exactly `kept` from now on."""
    mask = sum(1 << capability for capability in kept)
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION_3, 0))
    low, high = mask & 0xFFFFFFFF, mask >> 32
    data = ctypes.create_string_buffer(struct.pack("=6I", low, low, 0, high, high, 0))
    _check(_libc.capset(header, data), "capset")


def no_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def install_filter(program: bytes) -> None:
    """Put the system calls of this process and its children through a BPF program."""
    instructions = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("HQ", len(program) // 8, ctypes.addressof(instructions)))
    _prctl(_PR_SET_SECCOMP, 2, header)


def open_plain(path: str, flags: int, mode: int = 0) -> int:
    """Open `path`, but never through a magic link such as /proc/PID/fd/N or /proc/PID/root."""
    how = struct.pack("QQQ", flags | os.O_CLOEXEC, mode, _RESOLVE_NO_MAGICLINKS)
    return _check(
        _libc.syscall(_SYS_OPENAT2, _AT_FDCWD, os.fsencode(path), how, ctypes.c_size_t(len(how))),
        path,
    )
