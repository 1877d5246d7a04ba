"""What sandboxes are to everybody but root, tried as `nobody` where the tests run as root."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[4]
HERE = "tests/arena/execute/sandboxes"

# An interpreter below /root is out of nobody's reach: in a mount namespace of its own, /root holds nothing else.
_AS_NOBODY = """
set -e
prefix=$1; shift
case $prefix in /root/*)
    held=$(mktemp -d)
    mount --bind "$prefix" "$held"
    mount -t tmpfs -o mode=755 tmpfs /root
    mkdir -p "$prefix"
    mount --move "$held" "$prefix"
    rmdir "$held"
esac
exec setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
"""


def as_nobody(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home.chmod(0o777)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    if os.geteuid() == 0:
        command = ["unshare", "--mount", "sh", "-c", _AS_NOBODY, "sh", sys.base_prefix, *command]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=REPOSITORY, env={**environment, "PYTHONPATH": "."}
    )


@pytest.fixture
def home() -> Path:
    """A folder that nobody can reach; pytest's own are closed to others."""
    import tempfile

    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="arena-test-") as folder:
        yield Path(folder)


def checks(home: Path, *options: str) -> str:
    plain = ("-q", "-p", "no:cacheprovider", f"--basetemp={home}/pytest", "--timeout=300")
    done = as_nobody(home, "-m", "pytest", *plain, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-1]


def test_an_ordinary_user_gets_a_sandbox_with_one_user_and_the_limits_that_can_be_had(home: Path) -> None:
    code = "from arena.execute.sandboxes.open import probe; found = probe(); print(found)"
    said = as_nobody(home, "-c", code)
    assert "works=True" in said.stdout, said.stderr
    assert "one_user=True" in said.stdout
    assert "limits_kind='rlimit'" in said.stdout or "limits_kind='cgroup-v2'" in said.stdout


def test_an_ordinary_user_passes_the_short_checks_of_inspect(home: Path) -> None:
    last = checks(home, f"{HERE}/test_self_check.py", "-k", "not timeout and not large")
    assert "36 passed, 7 deselected, 1 xfailed" in last


@pytest.mark.slow
def test_an_ordinary_user_passes_every_check_but_running_as_another_user(home: Path) -> None:
    last = checks(home, f"{HERE}/test_self_check.py")
    assert "43 passed, 1 xfailed" in last


@pytest.mark.slow
def test_an_ordinary_user_is_as_safe_from_what_runs_inside(home: Path) -> None:
    last = checks(home, f"{HERE}/test_escapes.py", f"{HERE}/test_limits.py", "-m", "not slow")
    assert "passed" in last
    assert "failed" not in last
