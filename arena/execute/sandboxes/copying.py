"""Give a sandbox a writable copy of a part of the host, as a stream that its own `tar` unpacks.

The sandbox sees the stream only: what the host's user may read and the sandbox's may not needs no permission, and an
archive that misbehaves does so inside.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import SandboxError, boundary
from arena.execute.sandboxes.binaries import find_program
from arena.execute.sandboxes.blueprint import is_single_file
from arena.execute.sandboxes.box import Box
from arena.execute.sandboxes.inside import wire
from arena.execute.sandboxes.requests import ask, request
from arena.suites.environment import HostTree

_COMPLAINT = 1 << 12
_UNPACK = ("tar", "--extract", "--file=-", "--no-same-owner")


async def copy_tree(box: Box, tree: HostTree) -> None:
    """Copy `tree` to its target, as the sandbox's default user; an archive is unpacked there."""
    if is_single_file(tree):
        asked, opened = request("write", file=tree.target), _as_file
    else:
        unpack = [*_UNPACK, f"--directory={tree.target}"]
        asked, opened = request("exec", command=unpack, cwd="/", env={"PATH": "/usr/bin:/bin"}), _as_archive
    with opened(Path(tree.source)) as stream:
        outcome = await ask(box, asked, stream, _COMPLAINT)
    if outcome.kind != wire.EXITED or outcome.number != 0:
        said = outcome.stderr.decode("utf-8", "replace").strip() or os.strerror(outcome.number)
        raise SandboxError(f"cannot copy {tree.source} to {tree.target} in a sandbox: {said}")


@contextmanager
def _as_file(source: Path) -> Iterator[int]:
    with boundary(SandboxError, f"cannot copy {source} into a sandbox"), source.open("rb") as file:
        yield file.fileno()


@contextmanager
def _as_archive(source: Path) -> Iterator[int]:
    """Yield a descriptor that a tar archive of `source` can be read from."""
    if not source.is_dir():
        with _as_file(source) as file:
            yield file
        return
    command = [find_program("tar"), "--create", "--file=-", f"--directory={source}", "."]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as packing:
        assert packing.stdout is not None
        assert packing.stderr is not None
        yield packing.stdout.fileno()
        packing.stdout.close()
        said = packing.stderr.read(_COMPLAINT).decode("utf-8", "replace").strip()
    if packing.returncode != 0:
        raise SandboxError(f"cannot read all of {source} to copy it into a sandbox: {said}")
