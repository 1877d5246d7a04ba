"""Sandboxes for the rest of the arena: as Inspect's samples name them, opened by hand, and tried."""

import os
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.errors import SandboxError
from arena.execute.sandboxes.cgroups import LimitsKind, limits_kind
from arena.execute.sandboxes.refusals import why_refused
from arena.suites.environment import BubblewrapEnvironment, DockerEnvironment

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment, SandboxEnvironmentSpec


@dataclass(frozen=True)
class SandboxProbe:
    """What came of trying one real sandbox."""

    works: bool
    reason: str | None
    """What refused it, and what to do; none where it works."""
    limits_kind: LimitsKind
    one_user: bool
    """Commands can run as one user only, as for everybody but root."""
    seconds: float
    """From nothing to a running sandbox."""


def probe() -> SandboxProbe:
    """Start one sandbox, run one command in it, and say what came of that; raises nothing for what is refused."""
    import anyio

    kind = limits_kind()
    started = time.perf_counter()
    try:
        one_user, seconds = anyio.run(_try_one)
    except (SandboxError, OSError) as error:
        seconds = time.perf_counter() - started
        reason = "; ".join(part for part in (str(error), why_refused()) if part)
        return SandboxProbe(False, reason, kind, os.geteuid() != 0, seconds)
    return SandboxProbe(True, None, kind, one_user, seconds)


async def _try_one() -> tuple[bool, float]:
    """Return whether a sandbox has one user only, and how long it took to start."""
    from arena.execute.sandboxes.box import Box
    from arena.execute.sandboxes.requests import ask, request

    started = time.perf_counter()
    with closing(Box.open(BubblewrapEnvironment())) as box:
        seconds = time.perf_counter() - started
        outcome = await ask(box, request("exec", command=["true"]), None, 1 << 12, 30)
        if outcome.number != 0:
            raise SandboxError(f"a sandbox starts, but `true` fails in it: {outcome}")
        return box.one_user, seconds


def sandbox_spec(environment: BubblewrapEnvironment | DockerEnvironment) -> "SandboxEnvironmentSpec":
    """Return what an Inspect sample is given as its `sandbox`."""
    from inspect_ai.util import SandboxEnvironmentSpec

    import arena.execute.sandboxes.bubblewrap  # noqa: F401 - registers the sandbox with Inspect

    return SandboxEnvironmentSpec("bubblewrap", _supported(environment))


def open_sandbox(
    environment: BubblewrapEnvironment | DockerEnvironment,
) -> AbstractAsyncContextManager["SandboxEnvironment"]:
    """Open a sandbox of one's own, inside a running sample or without one; it ends with the context."""
    return _open(_supported(environment))


@asynccontextmanager
async def _open(environment: BubblewrapEnvironment) -> AsyncIterator["SandboxEnvironment"]:
    from arena.execute.sandboxes.bubblewrap import BubblewrapSandbox

    sandbox = await BubblewrapSandbox.open(environment)
    try:
        yield sandbox
    finally:
        await sandbox.close()


def _supported(environment: BubblewrapEnvironment | DockerEnvironment) -> BubblewrapEnvironment:
    if isinstance(environment, DockerEnvironment):
        raise SandboxError(f"docker sandboxes are not here yet: {environment.image} cannot be started")
    return environment
