import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

MARCH = "A peck of dust is worth a king's ransom\n"


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    """Run a program of the task as whoever owns /app, so that it can change nothing of the verifier's."""
    owner = Path("/app").stat()
    other: Any = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    library = {name: text for name, text in os.environ.items() if name == "LD_LIBRARY_PATH"}
    return subprocess.run(
        command,
        env={**environment, **library},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        **other,
    )


class Program(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        if os.geteuid() == 0:
            os.chown(self.folder, Path("/app").stat().st_uid, Path("/app").stat().st_gid)

    def test_it_runs_alone(self) -> None:
        alone = self.folder / "elsewhere.pyz"
        run("cp", "/app/dist/almanac.pyz", str(alone))
        done = run("python3", "-I", str(alone), "march")
        assert done.stdout == MARCH, done

    def test_the_sources_still_run(self) -> None:
        code = "import sys, runpy; sys.path.insert(0, '/app/src'); runpy.run_module('almanac', run_name='__main__')"
        done = run("python3", "-I", "-c", code, "march")
        assert done.stdout == MARCH, done

    def test_it_is_built_from_what_is_there(self) -> None:
        copy = self.folder / "copy"
        run("cp", "-R", "/app", str(copy))
        run("rm", "-r", str(copy / "dist"))
        run("bash", "-c", 'printf "march: Mud\nmay: Blossom\n" >"$1"', "bash", str(copy / "src/almanac/sayings.txt"))
        built = run("bash", str(copy / "build.sh"))
        done = run("python3", "-I", str(copy / "dist/almanac.pyz"), "may")
        assert done.stdout == "Blossom\n", (built, done)


if __name__ == "__main__":
    unittest.main()
