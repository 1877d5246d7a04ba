"""Let bubblewrap see parts of the host that its user could not reach, such as an interpreter below /root.

Root starts bubblewrap as a user without rights. Mount namespaces belong to threads: one made for the purpose takes a
namespace of its own, binds each place where that user can reach it, starts bubblewrap there, and ends. The host's
own mounts never change.
"""

import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from arena.errors import SandboxError
from arena.execute.sandboxes.inside import kernel

_GROUND = "/tmp"
"""Covered, in that namespace only, by a file system for the places; bubblewrap builds the sandbox there too."""


class Places:
    """The host's files and folders that one start needs."""

    def __init__(self, *, out_of_reach: bool) -> None:
        self._out_of_reach = out_of_reach
        self._paths: list[Path] = []

    def see(self, path: str | Path) -> str:
        """Return the path at which bubblewrap will see `path`."""
        if not self._out_of_reach:
            return str(path)
        self._paths.append(Path(path))
        return f"{_GROUND}/{len(self._paths) - 1}"

    def spawn(self, popen: Callable[[], "subprocess.Popen[bytes]"]) -> "subprocess.Popen[bytes]":
        """Call `popen` where all places can be seen."""
        if not self._paths:
            return popen()
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(self._spawn_apart, popen).result()

    def _spawn_apart(self, popen: Callable[[], "subprocess.Popen[bytes]"]) -> "subprocess.Popen[bytes]":
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        with ExitStack() as stack:
            # All are opened before the ground is covered, for any of them may lie there.
            sources = [_opened(path, stack) for path in self._paths]
            kernel.mount("tmpfs", _GROUND, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=0755")
            for number, source in enumerate(sources):
                ground = Path(_GROUND, str(number))
                if source.is_dir():
                    ground.mkdir()
                else:
                    ground.touch()
                kernel.mount(str(source), str(ground), None, kernel.MS_BIND | kernel.MS_REC)
        return popen()


def _opened(path: Path, stack: ExitStack) -> Path:
    """Return another name of `path`, which stays good when it is covered."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxError(f"cannot show {path} in a sandbox: {error.strerror}") from error
    stack.callback(os.close, descriptor)
    return Path(f"/proc/self/fd/{descriptor}")
