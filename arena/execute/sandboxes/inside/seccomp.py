"""The system calls that no program in a sandbox needs and that kernels are attacked through."""

import errno
import struct

_X86_64, _AARCH64 = 0xC000003E, 0xC00000B7
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_NAMESPACES = 0x7E020000
"""Every CLONE_NEW… flag that `clone` takes."""

_DENIED: dict[str, tuple[int, int] | tuple[int, None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "unshare": (272, 97),
    "setns": (308, 268),
    # large, young or privileged parts of the kernel
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "fanotify_init": (300, 262),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "acct": (163, 89),
    "nfsservctl": (180, 42),
    "lookup_dcookie": (212, 18),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "_sysctl": (156, None),
}

_OWN_ONLY: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "prlimit64": (302, 261, (0,)),
    "sched_setparam": (142, 118, (0,)),
    "sched_setscheduler": (144, 119, (0,)),
    "sched_setaffinity": (203, 122, (0,)),
    "sched_setattr": (314, 274, (0,)),
    "setpriority": (141, 140, (0, 1)),
}
"""Calls that may change their own process only, and the arguments that are then 0: the helper may be of that user."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
Instruction = tuple[int, int, int, int]
_X32 = 0x40000000


def deny_list(machine: str) -> bytes:
    """Return the BPF program for `machine` (`x86_64` or `aarch64`): denied calls fail with EPERM."""
    if machine not in _CLONE:
        raise OSError(errno.ENOSYS, f"no seccomp table for the processor {machine}")
    architecture, column = (_X86_64, 0) if machine == "x86_64" else (_AARCH64, 1)
    refuse = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    missing = (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)
    program: list[Instruction] = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL)]
    program += [(_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":
        program += [(_AT_LEAST, 0, 1, _X32), missing]
    for numbers in _DENIED.values():
        number = numbers[column]
        if number is not None:
            program += [(_EQUAL, 0, 1, number), refuse]
    for *numbers_of, arguments in _OWN_ONLY.values():
        program += _if_zero(numbers_of[column], arguments, refuse)
    # clone3 hides its flags behind a pointer; told that it is missing, C libraries fall back to clone.
    program += [(_EQUAL, 0, 1, _CLONE3), missing]
    program += [(_EQUAL, 0, 3, _CLONE[machine]), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_ANY_BIT, 0, 1, _NAMESPACES), refuse]
    program += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _if_zero(number: int, arguments: tuple[int, ...], refuse: Instruction) -> list[Instruction]:
    """Return instructions that allow a call whose `arguments` are 0 and refuse it otherwise."""
    checks: list[Instruction] = []
    for left, argument in zip(range(len(arguments) - 1, -1, -1), arguments, strict=True):
        checks += [(_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument), (_EQUAL, 0, 2 * left + 1, 0)]
    return [(_EQUAL, 0, len(checks) + 2, number), *checks, (_RETURN, 0, 0, _ALLOW), refuse]
