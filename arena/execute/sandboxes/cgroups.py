"""What a sandbox may use: a cgroup of its own where the machine lets us make one, else rlimits only."""

import contextlib
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from arena.errors import SandboxError
from arena.suites.environment import BubblewrapEnvironment

LimitsKind = Literal["cgroup-v1", "cgroup-v2", "rlimit"]

WARNING = (
    "Sandboxes here are limited by rlimits only, for no cgroup can be made: each process is limited, their sum is not "
    "(20 processes of 512 MB are not contained). Run as root, or in a delegated cgroup: "
    "systemd-run --user --scope -p Delegate=yes arena …"
)

_CPU_PERIOD_US = 100_000
_HELPER_PROCESSES = 32
"""Room for the helper beside the sandbox's own processes, so that a full sandbox can still be read and graded."""
_HELPER_MB = 64
_PREFIX = "arena-"
_SELF = Path("/proc/self")
_OPTIONAL = {"memory.swap.max", "memory.memsw.limit_in_bytes", "cpu.max"}
"""Settings that not every machine has, and that a sandbox is safe without."""

Settings = Mapping[str, Mapping[str, int | str]]
"""File names and values by controller."""


@dataclass(frozen=True)
class Cgroup:
    """The folders that limit one sandbox: one in cgroup v2, one a controller in v1, none for rlimits."""

    kind: LimitsKind
    folders: tuple[Path, ...] = ()

    def join(self, pid: int) -> None:
        """Put a process under the limits; raises `SandboxError` where the kernel does not let it."""
        for folder in self.folders:
            try:
                (folder / "cgroup.procs").write_text(str(pid))
            except OSError as error:
                raise SandboxError(f"it cannot be put under the limits of {folder}: {error.strerror}") from error

    def remove(self, patience_s: float = 5.0) -> None:
        """Remove the folders; what cannot be removed yet is left to the next sweep."""
        deadline = time.monotonic() + patience_s
        for folder in self.folders:
            while not _removed(folder) and time.monotonic() < deadline:
                time.sleep(0.002)


def make_cgroup(environment: BubblewrapEnvironment, process: Path = _SELF) -> Cgroup:
    """Make a cgroup with the environment's limits, of the best kind that `process` (a folder of /proc) may make."""
    name = f"{_PREFIX}{os.getpid()}-{_started(os.getpid())}-{secrets.token_hex(4)}"
    # The disk is memory too, and no kill frees it: it must not count against the processes.
    memory = (environment.memory_mb + environment.disk_mb + _HELPER_MB) << 20
    pids = environment.pids + _HELPER_PROCESSES
    quota = int(environment.cpus * _CPU_PERIOD_US)
    unified: Settings = {
        "memory": {"memory.max": memory, "memory.swap.max": 0},
        "pids": {"pids.max": pids},
        "cpu": {"cpu.max": f"{quota} {_CPU_PERIOD_US}"},
    }
    legacy: Settings = {
        "memory": {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory},
        "pids": {"pids.max": pids},
        "cpu": {"cpu.cfs_period_us": _CPU_PERIOD_US, "cpu.cfs_quota_us": quota},
    }
    for parent in _unified_parents(process):
        if _filled(parent / name, [setting for settings in unified.values() for setting in settings.items()]):
            return Cgroup("cgroup-v2", (parent / name,))
    parents = _legacy_parents(process)
    made = [parents[controller] / name for controller in legacy if controller in parents]
    if len(made) == len(legacy) and all(
        _filled(folder, list(legacy[controller].items())) for controller, folder in zip(legacy, made, strict=True)
    ):
        return Cgroup("cgroup-v1", tuple(made))
    Cgroup("cgroup-v1", tuple(made)).remove(0)
    return Cgroup("rlimit")


def limits_kind() -> LimitsKind:
    """Return how sandboxes made by this process are limited, by making a cgroup and removing it."""
    cgroup = make_cgroup(BubblewrapEnvironment())
    cgroup.remove()
    return cgroup.kind


def sweep() -> None:
    """Remove the empty folders that killed processes of the arena left behind."""
    # Everywhere, for a process is not always started in the cgroup in which one before it was.
    for root in {path for kind, path, _ in _mounts(_SELF) if kind in ("cgroup", "cgroup2")}:
        for above, names, _ in os.walk(root):  # says nothing of a folder that goes while it looks
            for name in names:
                pid, _, rest = name.removeprefix(_PREFIX).partition("-")
                if name.startswith(_PREFIX) and pid.isdecimal() and _started(int(pid)) != rest.partition("-")[0]:
                    _removed(Path(above, name))


def _filled(folder: Path, settings: list[tuple[str, int | str]]) -> bool:
    """Make `folder` and write its limits; leave nothing where one of them cannot be set."""
    try:
        folder.mkdir()
        for file, value in settings:
            if file not in _OPTIONAL or (folder / file).exists():
                (folder / file).write_text(str(value))
        with (folder / "cgroup.procs").open("a"):
            return True
    except OSError:
        _removed(folder)
        return False


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _unified_parents(process: Path) -> Iterator[Path]:
    """Yield the cgroup v2 folders in which limits can be set, the nearest to the process first."""
    root = next((path for kind, path, _ in _mounts(process) if kind == "cgroup2"), None)
    if root is None:
        return
    own = root / _own_paths(process).get("", "/").lstrip("/")
    for folder in [own, *own.parents]:
        if not folder.is_relative_to(root):
            return
        # A process may be moved only where the folder above both its old and its new place may be written.
        if os.access(folder / "cgroup.procs", os.W_OK) and {"memory", "pids"} <= _controllers_below(folder):
            yield folder


def _controllers_below(folder: Path) -> set[str]:
    """Return the controllers that a cgroup v2 folder gives to those made in it, once asked for all that matter."""
    control = folder / "cgroup.subtree_control"
    for controller in sorted({"memory", "pids", "cpu"} - set(control.read_text().split())):
        with contextlib.suppress(OSError):  # it holds processes itself, or has not got the controller
            control.write_text(f"+{controller}")
    return set(control.read_text().split())


def _legacy_parents(process: Path) -> dict[str, Path]:
    """Return the process's cgroup v1 folder by controller; its mount's root where a container hides it."""
    own = _own_paths(process)
    parents: dict[str, Path] = {}
    for kind, root, options in _mounts(process):
        for controller in options if kind == "cgroup" else ():
            if controller in ("memory", "pids", "cpu"):
                folder = root / own.get(controller, "/").lstrip("/")
                parents[controller] = folder if folder.is_dir() else root
    return parents


def _mounts(process: Path) -> Iterator[tuple[str, Path, list[str]]]:
    for line in (process / "mounts").read_text().splitlines():
        _, path, kind, options, *_ = line.split()
        yield kind, Path(path), options.split(",")


def _own_paths(process: Path) -> dict[str, str]:
    """Return the process's path by controller; cgroup v2's is that of the empty name."""
    paths = {}
    for line in (process / "cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        paths.update(dict.fromkeys(controllers.split(","), path))
    return paths


def _started(pid: int) -> str:
    """Return when a process started, which tells it from another with its number; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""
