"""Limits by cgroup: made, kept and cleared away."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.execute.sandboxes import cgroups
from arena.execute.sandboxes.cgroups import Cgroup, limits_kind, make_cgroup, sweep
from arena.suites.environment import BubblewrapEnvironment


@pytest.fixture
def cgroup() -> Cgroup:
    made = make_cgroup(BubblewrapEnvironment(memory_mb=100, disk_mb=50, pids=10, cpus=0.5))
    if made.kind == "rlimit":
        pytest.skip("no cgroup can be made here")
    return made


def test_the_limits_are_the_environments(cgroup: Cgroup) -> None:
    try:
        found = {file.name: file.read_text().strip() for folder in cgroup.folders for file in folder.glob("*.m[ai]*")}
        found |= {file.name: file.read_text().strip() for folder in cgroup.folders for file in folder.glob("*.cfs_*")}
        memory = found.get("memory.max") or (cgroup.folders[0] / "memory.limit_in_bytes").read_text().strip()
        assert int(memory) == (100 + 50 + 64) << 20
        assert int(found["pids.max"]) == 10 + 32
        assert found.get("cpu.max") == "50000 100000" or found["cpu.cfs_quota_us"] == "50000"
    finally:
        cgroup.remove()
    assert not any(folder.exists() for folder in cgroup.folders)


def test_asking_for_the_kind_leaves_nothing_behind(cgroup: Cgroup) -> None:
    cgroup.remove()
    parents = [folder.parent for folder in cgroup.folders]
    own = f"arena-{os.getpid()}-*"
    assert limits_kind() == cgroup.kind
    assert [list(parent.glob(own)) for parent in parents] == [[] for _ in parents]


def test_a_sweep_takes_what_a_dead_process_left_and_no_other(cgroup: Cgroup) -> None:
    script = (
        "from arena.execute.sandboxes.cgroups import make_cgroup\n"
        "from arena.suites.environment import BubblewrapEnvironment\n"
        "print(*make_cgroup(BubblewrapEnvironment()).folders, sep='\\n')\n"
    )
    try:
        left = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
        assert left
        assert all(Path(folder).is_dir() for folder in left.split())
        sweep()
        assert not any(Path(folder).exists() for folder in left.split())
        assert all(folder.is_dir() for folder in cgroup.folders)
    finally:
        cgroup.remove()


@pytest.fixture
def delegated(tmp_path: Path) -> Path:
    """A process as /proc shows it whose own cgroup v2 holds processes, and the one above it controllers.

    Plain folders stand for the kernel's; what the kernel itself refuses is not tried here.
    """
    for folder in ("root", "root/slice", "root/slice/own"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "cgroup.procs").touch()
        (tmp_path / folder / "cgroup.subtree_control").touch()
    (tmp_path / "root/slice/cgroup.subtree_control").write_text("cpu memory pids")
    (tmp_path / "mounts").write_text(f"proc /proc proc rw 0 0\ncgroup2 {tmp_path}/root cgroup2 rw 0 0\n")
    (tmp_path / "cgroup").write_text("0::/slice/own\n")
    return tmp_path


def test_a_cgroup_of_version_2_is_made_in_the_nearest_folder_that_has_the_controllers(delegated: Path) -> None:
    made = make_cgroup(BubblewrapEnvironment(memory_mb=100, disk_mb=50, pids=10), delegated)
    assert made.kind == "cgroup-v2"
    (folder,) = made.folders
    assert folder.parent == delegated / "root/slice"
    assert (folder / "memory.max").read_text() == str((100 + 50 + 64) << 20)
    assert (folder / "pids.max").read_text() == "42"


def test_the_warning_says_what_is_not_contained_and_how_to_have_it() -> None:
    assert "their sum is not" in cgroups.WARNING
    assert "Delegate=yes" in cgroups.WARNING
