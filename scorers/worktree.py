"""The agent's work as a patch: its work tree against the checkout that it was given, whatever it did to git.

The tree is read through a git folder of our own beside the agent's, so that its configuration, hooks, attributes,
filters, index, branches and excludes decide nothing; of its `.git` only the objects are used, which are named by their
content. Where they are gone, or where the checkout had changes to begin with, the tree is copied into a fresh sandbox
and compared there.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from arena.errors import ScoreError
from scorers.processes import end_processes

if TYPE_CHECKING:
    from inspect_ai.util import ExecResult, SandboxEnvironment

PATCH_BYTES = 16 * 2**20
"""A larger patch is no patch: it is refused before it is read."""

READ_S = 300

IGNORED = (
    "__pycache__/",
    "*.py[cod]",
    ".pytest_cache/",
    ".hypothesis/",
    ".mypy_cache/",
    ".ruff_cache/",
    ".tox/",
    ".nox/",
    "*.egg-info/",
    "*.orig",
    "*.rej",
)
"""What running and editing leave behind; new files of these names are not part of the work."""

SCRIPT = Path(__file__).with_name("worktree.sh")


class PatchError(ScoreError):
    """What the agent left cannot be read as a patch; the fault is the agent's."""


@dataclass(frozen=True)
class Checkout:
    """What a fresh work tree is."""

    head: str
    clean: bool
    """Whether it is `head` and nothing more."""


async def checkout(fresh: "SandboxEnvironment", folder: str) -> Checkout:
    """Return the state of a fresh work tree; raises `ScoreError` where it is no git checkout."""
    ran = await _script(fresh, "state", folder)
    if not ran.success:
        raise ScoreError(f"{folder} in the grading environment is not a git checkout: {ran.stderr.strip()[-500:]}")
    head, tree, head_tree = ran.stdout.split()
    return Checkout(head, tree == head_tree)


async def take_patch(
    agents: "SandboxEnvironment",
    folder: str,
    given: Checkout,
    spare: "Callable[[], AbstractAsyncContextManager[SandboxEnvironment]]",
) -> bytes:
    """Return the agent's work as a patch on the checkout that it was given; empty where it changed nothing.

    Parameters
    ----------
    agents
        The sandbox in which the agent worked.
    folder
        The work tree's folder.
    given
        What a fresh work tree is.
    spare
        Opens another fresh sandbox, for the comparison that the agent's own git folder does not allow.

    Raises
    ------
    PatchError
        The tree cannot be read in either way, or the patch is larger than `PATCH_BYTES`.
    """
    from inspect_ai.util import OutputLimitExceededError

    await end_processes(agents)
    try:
        if given.clean:
            patch = await _difference(agents, "diff", folder, given.head)
            if patch is not None:
                return patch
        return await _copied_difference(agents, folder, spare)
    except TimeoutError as late:
        raise PatchError(f"the work tree could not be read in {READ_S} s") from late
    except (OSError, OutputLimitExceededError) as odd:
        raise PatchError(f"the work tree cannot be read: {odd}") from odd


async def _copied_difference(
    agents: "SandboxEnvironment",
    folder: str,
    spare: "Callable[[], AbstractAsyncContextManager[SandboxEnvironment]]",
) -> bytes:
    name = f"/tmp/{_scratch()}.tar.gz"
    packed = await agents.exec(
        ["tar", "-C", folder, "--exclude=./.git", "-czf", name, "."], timeout=READ_S, timeout_retry=False
    )
    if packed.returncode > 1:
        raise PatchError(f"the work tree cannot be copied: {packed.stderr.strip()[-300:]}")
    archive = await agents.read_file(name, text=False)
    await agents.exec(["rm", "-f", name])
    async with spare() as fresh:
        await fresh.write_file(name, archive)
        patch = await _difference(fresh, "against", folder, "", name)
    if patch is None:
        raise PatchError("the work tree cannot be compared with a fresh checkout")
    return patch


async def _difference(
    sandbox: "SandboxEnvironment", mode: str, folder: str, base: str, archive: str = ""
) -> bytes | None:
    ran = await _script(sandbox, mode, folder, base, archive)
    if not ran.success:
        return None
    size, _, place = ran.stdout.strip().partition(" ")
    try:
        if not size.isdecimal() or int(size) > PATCH_BYTES:
            raise PatchError(f"the patch has {size[:20]} bytes; at most {PATCH_BYTES} are taken")
        return await sandbox.read_file(place, text=False)
    finally:
        await sandbox.exec(["rm", "-rf", place.rpartition("/")[0]])


async def _script(
    sandbox: "SandboxEnvironment", mode: str, folder: str, base: str = "", archive: str = ""
) -> "ExecResult[str]":
    arguments = [mode, folder, _scratch(), base, archive, "\n".join(IGNORED)]
    command = ["bash", "-c", SCRIPT.read_text(encoding="utf8"), "arena", *arguments]
    return await sandbox.exec(command, timeout=READ_S, timeout_retry=False)


def _scratch() -> str:
    return f"arena-{uuid4().hex}"
