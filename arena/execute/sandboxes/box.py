"""A running sandbox as the host holds it: its processes, its limits, and the line to its helper."""

import os
import select
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Self

from arena.errors import SandboxError
from arena.execute.sandboxes.cgroups import Cgroup, LimitsKind, make_cgroup
from arena.execute.sandboxes.inside import wire
from arena.execute.sandboxes.start import Started, start
from arena.suites.environment import BubblewrapEnvironment

_END_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Box:
    """One sandbox. Everything here blocks, shortly; run `open` and `close` in a thread."""

    environment: BubblewrapEnvironment
    started: Started
    cgroup: Cgroup
    numbers: "count[int]" = field(default_factory=count)

    @classmethod
    def open(cls, environment: BubblewrapEnvironment) -> Self:
        """Start a sandbox; raises `SandboxError` with what refused it."""
        cgroup = make_cgroup(environment)
        try:
            return cls(environment, start(environment, cgroup), cgroup)
        except BaseException:
            cgroup.remove()
            raise

    @property
    def limits_kind(self) -> LimitsKind:
        return self.cgroup.kind

    @property
    def one_user(self) -> bool:
        return self.started.identity.one_user

    @property
    def lost(self) -> bool:
        """Whether the helper, and so the sandbox, is gone: it says nothing more on the control socket but its end."""
        control = self.started.control
        return control.fileno() < 0 or bool(select.select([control], [], [], 0)[0])

    def order(self, what: int, number: int, descriptors: Sequence[int] = ()) -> None:
        """Send the helper an order with the descriptors that belong to it."""
        try:
            socket.send_fds(self.started.control, [wire.ORDER.pack(what, number)], descriptors)
        except OSError as error:
            raise lost_sandbox(f"it takes no more orders ({error.strerror})") from error

    def close(self) -> None:
        """End every process of the sandbox and give back what it used."""
        if self.started.control.fileno() < 0:
            return
        self.started.control.close()
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.started.helper, signal.SIGKILL)
        select.select([self.started.helper], [], [], _END_TIMEOUT_S)
        self.started.bubblewrap.kill()
        self.started.bubblewrap.wait()
        os.close(self.started.helper)
        self.cgroup.remove()


def lost_sandbox(what: str) -> SandboxError:
    """Return the error of a sandbox that is gone by no doing of its commands."""
    return SandboxError(f"the sandbox was lost: {what}")
