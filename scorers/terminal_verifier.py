"""Run a task's own verifier in the sandbox that the agent worked in, out of the reach of whatever the agent left there.

What the agent left running is ended; /tests and /logs are emptied and filled afresh; the environment is the sandbox's
own. Where the sandbox has more than one user, the verifier is root and /tests and /logs are root's, so that a program
of the agent's that a test runs as the agent cannot touch them either.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import ScoreError
from arena.suites.terminal_task import TEST_SCRIPT, Files, archive
from scorers.processes import end_processes

if TYPE_CHECKING:
    from inspect_ai.util import ExecResult, SandboxEnvironment

SCRIPT = Path(__file__).with_suffix(".sh")
LOGS = "/logs/verifier"
REWARD_BYTES = 1 << 16
LOG_BYTES = 1 << 20
STEP_S = 60
MISSING = 3

RUN = f"exec bash /tests/{TEST_SCRIPT} >{LOGS}/test-stdout.txt 2>&1 </dev/null"


class NotRunError(ScoreError):
    """The verifier cannot be run in what the agent left; whose fault it is remains to be seen."""


@dataclass(frozen=True)
class Verifier:
    """What is to be run, and for how long."""

    tests: Files
    timeout_s: float
    env: Mapping[str, str]


@dataclass(frozen=True)
class Verified:
    """What came of running it."""

    exit_code: int | None
    """test.sh's own; none where the time was up."""
    json: str | None
    """What reward.json holds, or none where it was not written."""
    txt: str | None
    """The same of reward.txt."""
    log: str
    user: str
    """Whose rights test.sh had: root's, or the agent's where the sandbox has one user only."""


async def settle(sandbox: "SandboxEnvironment", folder: str) -> str | None:
    """End what the agent left running and return the digest of its folder as it then stands.

    Raises
    ------
    NotRunError
        Its processes could not be ended.
    """
    await end_processes(sandbox)
    user = await verifier_user(sandbox)
    try:
        digested = await _script(sandbox, user, "state", folder)
    except TimeoutError:
        return None
    return f"sha256:{digested.stdout.split()[0]}" if digested.success else None


async def verify(sandbox: "SandboxEnvironment", folder: str, verifier: Verifier) -> Verified:
    """Run the verifier on what is in `folder` and return what it wrote.

    Raises
    ------
    NotRunError
        The sandbox is in no state to run it: its disk is full, say.
    """
    await end_processes(sandbox)
    user = await verifier_user(sandbox)
    prepared = await _script(sandbox, user, "prepare", given=archive(verifier.tests))
    if not prepared.success:
        raise NotRunError(f"the tests cannot be put in place: {prepared.stderr.strip()[-500:]}")
    code = await _run(sandbox, user, folder, verifier)
    await end_processes(sandbox)
    return Verified(
        exit_code=code,
        json=await _taken(sandbox, user, f"{LOGS}/reward.json", REWARD_BYTES),
        txt=await _taken(sandbox, user, f"{LOGS}/reward.txt", REWARD_BYTES),
        log=await _taken(sandbox, user, f"{LOGS}/test-stdout.txt", LOG_BYTES) or "",
        user=user or "agent",
    )


async def verifier_user(sandbox: "SandboxEnvironment") -> str | None:
    """Return `root` where a sandbox can run commands as root, else none, for its only user."""
    from inspect_ai.util import SandboxUserUnsupportedError

    try:
        await sandbox.exec(["true"], user="root", timeout=STEP_S, timeout_retry=False)
    except SandboxUserUnsupportedError:
        return None
    return "root"


async def _run(sandbox: "SandboxEnvironment", user: str | None, folder: str, verifier: Verifier) -> int | None:
    # Of one user, the home is the agent's, where Python, git and others would look for settings.
    home = {} if user else {"HOME": "/logs/home"}
    try:
        done = await sandbox.exec(
            ["bash", "-c", RUN],
            cwd=folder,
            env={**home, **verifier.env},
            user=user,
            timeout=ceil(verifier.timeout_s),
            timeout_retry=False,
        )
    except TimeoutError:
        return None
    return done.returncode


async def _taken(sandbox: "SandboxEnvironment", user: str | None, path: str, limit: int) -> str | None:
    taken = await _script(sandbox, user, "take", path, str(limit))
    return None if taken.returncode == MISSING else taken.stdout


async def _script(
    sandbox: "SandboxEnvironment", user: str | None, mode: str, *arguments: str, given: bytes | None = None
) -> "ExecResult[str]":
    command = ["bash", "-c", SCRIPT.read_text(encoding="utf8"), "arena", mode, *arguments]
    return await sandbox.exec(command, cwd="/", input=given, user=user, timeout=STEP_S, timeout_retry=False)
