"""Furnish the sandbox: one bounded disk behind every writable folder, the host's trees, and nothing left mounted.

It runs once, as root of the sandbox's own user namespace, before any program of the sandbox exists.
"""

import os

from arena.execute.sandboxes.inside import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arena.execute.sandboxes.inside.contract import Etc, Folder, Furniture


_QUIET = kernel.MS_NOSUID | kernel.MS_NODEV


def furnish(plan: "Furniture") -> int:
    """Furnish the sandbox; returns a descriptor of a /proc that hides no process, which is mounted nowhere any more."""
    for mounted in plan["hidden"]:
        kernel.detach(mounted)
        os.removedirs(mounted)
    disk = f"{plan['staging']}/disk"
    os.makedirs(disk, exist_ok=True)
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
    _furnish_etc(plan["etc"])
    open_proc = f"{plan['staging']}/proc"
    os.mkdir(open_proc)
    kernel.mount("proc", open_proc, "proc", _QUIET | kernel.MS_NOEXEC)
    all_processes = os.open(open_proc, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for mounted in [disk, open_proc, plan["etc"]["staged"], *trees.values()]:
        kernel.detach(mounted)
        _remove(mounted)
    os.rmdir(plan["staging"])
    # Commands see no process but their own: what they could set on the helper's stays out of their hands.
    kernel.mount(None, "/proc", "proc", _QUIET | kernel.MS_NOEXEC | kernel.MS_REMOUNT, "hidepid=2")
    for sealed in ["/dev", "/", *([] if plan["etc"]["writable"] else ["/etc"])]:
        _make_read_only(sealed)
    return all_processes


def _mount_folder(folder: "Folder", store: str) -> None:
    os.mkdir(store)
    os.makedirs(folder["path"], exist_ok=True)
    kernel.mount(store, folder["path"], None, kernel.MS_BIND)
    _make_folder(folder)


def _make_folder(folder: "Folder") -> None:
    os.makedirs(folder["path"], exist_ok=True)
    os.chmod(folder["path"], folder["mode"])
    os.chown(folder["path"], folder["owner"], folder["owner"])


def _show_tree(path: str, staged: str) -> None:
    if os.path.isdir(staged):
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    kernel.mount(staged, path, None, kernel.MS_BIND | kernel.MS_REC)


def _furnish_etc(etc: "Etc") -> None:
    kernel.mount("tmpfs", "/etc", "tmpfs", _QUIET, "size=8m,nr_inodes=4096,mode=0755")
    for name in etc["shown"]:
        staged = f"{etc['staged']}/{name}"
        if os.path.islink(staged):
            os.symlink(os.readlink(staged), f"/etc/{name}")
        elif os.path.exists(staged):
            _show_tree(f"/etc/{name}", staged)
    for files, mode in ((etc["written"], 0o644), (etc["secret"], 0o640)):
        for name, text in files.items():
            with open(os.open(f"/etc/{name}", os.O_CREAT | os.O_WRONLY, mode), "w", encoding="utf-8") as file:
                file.write(text)


def _make_read_only(path: str) -> None:
    flags = kernel.MS_NOSUID | (kernel.MS_NODEV if path != "/dev" else 0)
    kernel.mount(None, path, None, flags | kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY)


def _remove(path: str) -> None:
    if os.path.isdir(path):
        os.rmdir(path)
    else:
        os.unlink(path)
