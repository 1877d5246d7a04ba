"""Find the processes of the sandbox in /proc, and end trees of them."""

import os

from arena.execute.sandboxes.inside import kernel


def end_tree(supervisor: int) -> None:
    """Take one round at ending everything below `supervisor`, and it last; to be called until it is gone.

    Stopped first, the supervisor keeps adopting but cannot end, so nothing of its tree gets away; stopping the rest
    before killing any of it keeps a tree that forks from growing meanwhile.
    """
    _signal([supervisor], kernel.SIGSTOP)
    tree = _below({supervisor}, _parents())
    _signal(tree, kernel.SIGSTOP)
    _signal(tree or [supervisor], kernel.SIGKILL)


def end_strays(supervisors: set[int]) -> None:
    """End every process that belongs to no living supervisor."""
    for _ in range(1000):
        parents = _parents()
        strays = parents.keys() - supervisors - set(_below(supervisors, parents)) - {1}
        if not strays:
            return
        _signal(strays, kernel.SIGSTOP)
        _signal(strays, kernel.SIGKILL)


def _signal(pids: "list[int] | set[int]", number: int) -> None:
    for pid in pids:
        try:  # noqa: SIM105 - contextlib is an import that the helper does without
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def _parents() -> dict[int, int]:
    """Return the parent of every process that is alive."""
    parents = {}
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdecimal():
            state, parent = _state_and_parent(name)
            if state not in b"ZX":
                parents[int(name)] = parent
    return parents


def _state_and_parent(pid: str) -> tuple[bytes, int]:
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123
            fields = file.read(1024).rpartition(b")")[2].split()
    except OSError:
        return b"X", 0
    return fields[0], int(fields[1])


def _below(roots: set[int], parents: dict[int, int]) -> list[int]:
    """Return every process that descends from one of `roots`."""
    known, found = set(roots), []
    while grown := [pid for pid, parent in parents.items() if parent in known and pid not in known]:
        known.update(grown)
        found += grown
    return found
