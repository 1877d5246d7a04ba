"""End what an agent left running before its work is looked at."""

from typing import TYPE_CHECKING

from arena.errors import ScoreError

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment

NONE_TO_END, ENDED_TOO = 1, 137
"""Exit codes of a kill that found nothing, and of one that ended the shell that ran it."""


class RunningError(ScoreError):
    """The agent's processes cannot be ended."""


async def end_processes(sandbox: "SandboxEnvironment", timeout_s: int = 30) -> None:
    """End every process of the agent's user, seen or hidden; the kernel lets none of them fork meanwhile.

    Raises
    ------
    RunningError
        The command for it could not be run.
    """
    from inspect_ai.util import SandboxEnvironment

    # In a container another process than the first may keep it alive, and a local sandbox has the host's processes.
    if type(sandbox.as_type(SandboxEnvironment)).__name__ != "BubblewrapSandbox":  # type: ignore[type-abstract]
        return
    ended = await sandbox.exec(["bash", "-c", "kill -KILL -1"], cwd="/", timeout=timeout_s, timeout_retry=False)
    if ended.returncode not in (0, NONE_TO_END, ENDED_TOO):
        raise RunningError(f"the agent's processes cannot be ended: {ended.stderr.strip()[-500:]}")
