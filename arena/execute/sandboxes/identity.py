"""Who the processes of a sandbox are on the host."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

_FIRST_RANGE, _RANGES, _RANGE = 0x40000000, 0x2000, 0x10000
"""User ids that nobody is given: each sandbox that root starts takes a range of its own."""

_CAPABILITIES = (6, 7, 21)
"""setgid, setuid, sys_admin."""


@dataclass(frozen=True)
class Identity:
    """The host's user ids that a sandbox maps, from its own 0 upwards."""

    owner: int
    group: int
    count: int
    """65536 where root starts the sandbox; 1, the caller's own, for an ordinary user."""

    @property
    def one_user(self) -> bool:
        return self.count == 1

    def map_into(self, pid: int) -> None:
        """Give the new user namespace of process `pid` these ids."""
        process = Path(f"/proc/{pid}")
        if self.one_user:
            (process / "setgroups").write_text("deny")
        (process / "uid_map").write_text(f"0 {self.owner} {self.count}")
        (process / "gid_map").write_text(f"0 {self.group} {self.count}")


def choose_identity() -> Identity:
    """Return a range of ids of its own for root, and the caller's one id for everybody else."""
    first = _FIRST_RANGE + _RANGE * secrets.randbelow(_RANGES)
    if os.geteuid() == 0 and _privileged() and _mapped(first):
        return Identity(first, first, _RANGE)
    return Identity(os.geteuid(), os.getegid(), 1)


def _privileged() -> bool:
    """Whether root has its rights here, which a container may have taken from it."""
    status = Path("/proc/self/status").read_text()
    held = int(status.partition("CapEff:")[2].split()[0], 16)
    return all(held >> capability & 1 for capability in _CAPABILITIES)


def _mapped(first: int) -> bool:
    """Whether the range exists here: root of a user namespace may have fewer ids."""
    lines = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return any(int(start) <= first and first + _RANGE <= int(start) + int(count) for start, _, count in lines)
