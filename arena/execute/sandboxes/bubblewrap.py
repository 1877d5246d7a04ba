"""The sandbox as Inspect knows it; importing this module registers it under the name `bubblewrap`."""

import errno
import logging
import os
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import cache
from typing import Any, Literal, Self, overload

import anyio
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    concurrency,
    sandboxenv,
)
from inspect_ai.util._subprocess import max_subprocesses_context_var
from typing_extensions import override

from arena.errors import SandboxError
from arena.execute.sandboxes.blueprint import copied_trees
from arena.execute.sandboxes.box import Box
from arena.execute.sandboxes.cgroups import WARNING, LimitsKind, limits_kind, sweep
from arena.execute.sandboxes.copying import copy_tree
from arena.execute.sandboxes.inside import wire
from arena.execute.sandboxes.requests import Outcome, ask, request
from arena.suites.environment import BubblewrapEnvironment

_FILE_TIMEOUT_S = 180.0
_COMPLAINT = 1 << 12
_NOT_FOUND, _NOT_RUNNABLE, _NO_USER = 127, 126, 125
_logger = logging.getLogger(__name__)


@sandboxenv(name="bubblewrap")
class BubblewrapSandbox(SandboxEnvironment):
    """A sandbox with no daemon and no image.

    A sandbox that is lost raises `SandboxError`, not Inspect's `SandboxUnavailableError`: the latter would be told to
    the model as the outcome of its tool call, and the episode would go on into the void.
    """

    def __init__(self, box: Box) -> None:
        super().__init__()
        self._box = box

    @classmethod
    async def open(cls, environment: BubblewrapEnvironment) -> Self:
        """Start a sandbox with its trees in place."""
        sandbox = cls(await anyio.to_thread.run_sync(Box.open, environment))
        try:
            for tree in copied_trees(environment):
                await copy_tree(sandbox._box, tree)
        except BaseException:
            await sandbox.close()
            raise
        return sandbox

    async def close(self) -> None:
        """End every process of the sandbox and forget its files."""
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._box.close)

    @property
    def limits_kind(self) -> LimitsKind:
        """How the sandbox's use of the machine is limited; recorded on each episode."""
        return self._box.limits_kind

    @override
    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,  # nothing hangs here that a second try would help
        concurrency: bool = True,
    ) -> ExecResult[str]:
        stdin = input.encode(errors="replace") if isinstance(input, str) else input
        limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        asked = request("exec", command=cmd, cwd=cwd, user=user, env=env)
        async with _turn() if concurrency else nullcontext():
            outcome = await ask(self._box, asked, stdin, limit, timeout)
        return _result(outcome, cmd, one_user=self._box.one_user)

    @override
    async def write_file(self, file: str, contents: str | bytes) -> None:
        data = contents.encode() if isinstance(contents, str) else contents
        _raise_file_error(await ask(self._box, request("write", file=file), data, _COMPLAINT, _FILE_TIMEOUT_S), file)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    @override
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        outcome = await ask(self._box, request("read", file=file, limit=limit), None, limit, _FILE_TIMEOUT_S)
        _raise_file_error(outcome, file)
        return outcome.stdout.decode() if text else outcome.stdout

    @override
    def default_polling_interval(self) -> float:
        return 0.2

    @classmethod
    @override
    def config_deserialize(cls, config: dict[str, Any]) -> BubblewrapEnvironment:
        return BubblewrapEnvironment(**config)

    @classmethod
    @override
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        await anyio.to_thread.run_sync(_settle_in)

    @classmethod
    @override
    async def sample_init(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        metadata: dict[str, str],
    ) -> dict[str, SandboxEnvironment]:
        if config is None:
            config = BubblewrapEnvironment()
        if not isinstance(config, BubblewrapEnvironment):
            raise SandboxError(f"a bubblewrap sandbox is made from a BubblewrapEnvironment: got {config!r}")
        return {"default": await cls.open(config)}

    @classmethod
    @override
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            await environment.as_type(BubblewrapSandbox).close()


@cache
def _settle_in() -> None:
    """Once a process: clear what killed processes left, and warn where limits are weak."""
    sweep()
    if limits_kind() == "rlimit":
        _logger.warning(WARNING)


def _turn() -> AbstractAsyncContextManager[object]:
    """Wait in the queue of Inspect's own subprocesses: commands run on this machine's processors too."""
    return concurrency("subprocesses", max_subprocesses_context_var.get(), resizable=True)


def _result(outcome: Outcome, cmd: list[str], *, one_user: bool) -> ExecResult[str]:
    stdout, stderr = outcome.stdout.decode(errors="replace"), outcome.stderr.decode(errors="replace")
    status = outcome.number
    if outcome.kind == wire.NO_USER:
        if one_user:
            raise SandboxUserUnsupportedError(f"this sandbox has one user only: it cannot run as {outcome.text!r}")
        status, stderr = _NO_USER, f"unable to find user {outcome.text}: no such entry in /etc/passwd"
    elif outcome.kind == wire.NOT_STARTED:
        complaint = f"{outcome.text or cmd[0]}: {os.strerror(outcome.number)}"
        if outcome.number in (errno.EACCES, errno.ENOEXEC):
            raise PermissionError(outcome.number, os.strerror(outcome.number), outcome.text or cmd[0])
        status, stderr = _NOT_FOUND if outcome.number == errno.ENOENT else _NOT_RUNNABLE, complaint
    return ExecResult(status == 0, status, stdout, stderr)


def _raise_file_error(outcome: Outcome, file: str) -> None:
    if outcome.kind == wire.EXITED and outcome.number == 0:
        return
    if outcome.kind == wire.FILE_ERROR and outcome.number == errno.EFBIG:
        raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
    if outcome.kind in (wire.FILE_ERROR, wire.NOT_STARTED):
        raise OSError(outcome.number, outcome.text or os.strerror(outcome.number), file)
    raise SandboxError(f"{file}: the sandbox's helper ended with {outcome.number}")
