"""Read and write one file with the rights of the sandbox's user, inside its mount namespace.

Whatever a path leads to, it can only be what that user could have opened; magic links into other processes are not
followed, and only regular files are touched, so that no pipe or device can hold the helper up.
"""

import errno
import os
import stat

from arena.execute.sandboxes.inside import kernel

_CHUNK = 1 << 20
_CAREFUL = os.O_NONBLOCK | os.O_NOCTTY


def send_file(path: str, limit: int) -> None:
    """Copy the file to stdout; one that is longer than `limit` is an EFBIG."""
    descriptor = kernel.open_plain(path, os.O_RDONLY | _CAREFUL)
    if _regular(descriptor).st_size > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    sent = 0
    while chunk := os.read(descriptor, _CHUNK):  # files of /proc say that their size is 0: count what comes
        sent += len(chunk)
        if sent > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        _write_all(1, chunk)


def receive_file(path: str) -> None:
    """Replace the file's contents by what stdin holds, making the folders above it."""
    if folder := os.path.dirname(path):
        os.makedirs(folder, exist_ok=True)
    descriptor = kernel.open_plain(path, os.O_WRONLY | os.O_CREAT | _CAREFUL, 0o644)
    _regular(descriptor)
    os.ftruncate(descriptor, 0)
    while chunk := os.read(0, _CHUNK):
        _write_all(descriptor, chunk)
    os.close(descriptor)


def _regular(descriptor: int) -> os.stat_result:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file")
    return status


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
