"""Furnish the sandbox: one bounded disk behind every writable folder, the host's trees, and nothing left mounted.

It runs once, as root of the sandbox's own user namespace, before any program of the sandbox exists.
"""

import os
from typing import TypedDict

from arena.execute.sandboxes.inside import kernel


class Folder(TypedDict):
    """A writable folder."""

    path: str
    mode: int
    owner: int


class Tree(TypedDict):
    """A part of the host that is seen read-only at `path`; `staged` is where bubblewrap put it."""

    path: str
    staged: str


class Furniture(TypedDict):
    staging: str
    hidden: list[str]
    """Mounts that only the helper's own start needed."""
    disk_mb: int
    inodes: int
    folders: list[Folder]
    trees: list[Tree]
    etc_writable: bool


_QUIET = kernel.MS_NOSUID | kernel.MS_NODEV


def furnish(plan: Furniture) -> None:
    for mounted in plan["hidden"]:
        kernel.detach(mounted)
        os.removedirs(mounted)
    disk = f"{plan['staging']}/disk"
    os.makedirs(disk, exist_ok=True)  # noqa: PTH103 - pathlib is an import that the helper does without
    kernel.mount("tmpfs", disk, "tmpfs", _QUIET, f"size={plan['disk_mb']}m,nr_inodes={plan['inodes']},mode=0755")
    folders = {folder["path"]: folder for folder in plan["folders"]}
    trees = {tree["path"]: tree["staged"] for tree in plan["trees"]}
    for number, path in enumerate(sorted([*folders, *trees], key=lambda path: path.count("/"))):
        if path in trees:
            _show_tree(path, trees[path])
        elif any(path.startswith(f"{other}/") for other in folders):
            _make_folder(folders[path])
        else:
            _mount_folder(folders[path], f"{disk}/{number}")
    for mounted in [disk, *(tree["staged"] for tree in plan["trees"])]:
        kernel.detach(mounted)
        _remove(mounted)
    os.rmdir(plan["staging"])  # noqa: PTH106
    _seal(plan["etc_writable"])


def _mount_folder(folder: Folder, store: str) -> None:
    os.mkdir(store)  # noqa: PTH102
    os.makedirs(folder["path"], exist_ok=True)  # noqa: PTH103
    kernel.mount(store, folder["path"], None, kernel.MS_BIND)
    _make_folder(folder)


def _make_folder(folder: Folder) -> None:
    os.makedirs(folder["path"], exist_ok=True)  # noqa: PTH103
    os.chmod(folder["path"], folder["mode"])  # noqa: PTH101
    os.chown(folder["path"], folder["owner"], folder["owner"])


def _show_tree(path: str, staged: str) -> None:
    if os.path.isdir(staged):  # noqa: PTH112
        os.makedirs(path, exist_ok=True)  # noqa: PTH103
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    kernel.mount(staged, path, None, kernel.MS_BIND | kernel.MS_REC)


def _remove(path: str) -> None:
    if os.path.isdir(path):  # noqa: PTH112
        os.rmdir(path)  # noqa: PTH106
    else:
        os.unlink(path)  # noqa: PTH108


def _seal(etc_writable: bool) -> None:
    """Close the file systems of the root folder, which have no limit of their own."""
    sealed = _QUIET | kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY
    if etc_writable:
        kernel.mount(None, "/etc", "tmpfs", _QUIET | kernel.MS_REMOUNT, "size=8m,nr_inodes=4096")
    else:
        kernel.mount(None, "/etc", None, sealed)
    kernel.mount(None, "/dev", None, sealed & ~kernel.MS_NODEV)
    kernel.mount(None, "/", None, sealed)
