"""Find the processes of the sandbox in a /proc that shows them all, and end trees of them."""

import os

from arena.execute.sandboxes.inside import kernel


class Process:
    """A line of /proc; the state T is stopped, Z has ended and was not waited for."""

    def __init__(self, state: bytes, parent: int) -> None:
        self.state, self.parent = state, parent


def end_tree(supervisor: int, proc: int) -> None:
    """Take one round at ending everything below `supervisor`, and it last; to be called until it is gone.

    Stopped first, the supervisor keeps adopting but cannot end, so nothing of its tree gets away; stopping the rest
    before killing any of it keeps a tree that forks from growing meanwhile.
    """
    _signal([supervisor], kernel.SIGSTOP)
    processes = _processes(proc)
    tree = _below({supervisor}, processes)
    _signal(tree, kernel.SIGSTOP)
    _signal(tree, kernel.SIGKILL)
    # Not before it has come to a halt: what it was just forking would get away.
    if not tree and supervisor in processes and processes[supervisor].state == b"T":
        _signal([supervisor], kernel.SIGKILL)


def end_strays(supervisors: set[int], proc: int) -> None:
    """End every process that belongs to no living supervisor."""
    for _ in range(1000):
        processes = _processes(proc)
        strays = processes.keys() - supervisors - set(_below(supervisors, processes)) - {1}
        if not strays:
            return
        _signal(strays, kernel.SIGSTOP)
        _signal(strays, kernel.SIGKILL)


def _signal(pids: "list[int] | set[int]", number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def _processes(proc: int) -> dict[int, Process]:
    """Return every process that is alive, by number."""
    found = {int(name): _process(name, proc) for name in os.listdir(proc) if name.isdecimal()}
    return {pid: process for pid, process in found.items() if process.state not in b"ZX"}


def _process(pid: str, proc: int) -> Process:
    try:
        with open(os.open(f"{pid}/stat", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc), "rb", buffering=0) as file:
            fields = file.read(1024).rpartition(b")")[2].split()
    except OSError:
        return Process(b"X", 0)
    return Process(fields[0], int(fields[1]))


def _below(roots: set[int], processes: dict[int, Process]) -> list[int]:
    """Return every process that descends from one of `roots`."""
    known, found = set(roots), []
    while grown := [pid for pid, process in processes.items() if process.parent in known and pid not in known]:
        known.update(grown)
        found += grown
    return found
