import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

FILES = {
    "top.conf": "1",
    "deep/er/top.conf": "2",
    "with blank/a b.conf": "3",
    "star*/[x].conf": "4",
}
OTHERS = {"deep/readme.txt": "5", "conf": "6", "with blank/x.conf.old": "7"}


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


class Backup(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source, self.target = self.folder / "from here", self.folder / "to there"
        for path, text in {**FILES, **OTHERS}.items():
            (self.source / path).parent.mkdir(parents=True, exist_ok=True)
            (self.source / path).write_text(text)
        self.target.mkdir()
        self.folder.chmod(0o755)
        owner = Path("/app").stat()
        if os.geteuid() == 0:
            os.chown(self.target, owner.st_uid, owner.st_gid)

    def test_files_go_to_the_same_place(self) -> None:
        done = run("bash", "/app/backup.sh", str(self.source), str(self.target))
        copied = {
            str(path.relative_to(self.target)): path.read_text() for path in self.target.rglob("*") if path.is_file()
        }
        assert copied == FILES, (copied, done)
        assert done.stdout == "4 files\n", done
        assert done.returncode == 0, done

    def test_a_source_that_is_no_folder_is_refused(self) -> None:
        done = run("bash", "/app/backup.sh", str(self.folder / "nowhere"), str(self.target))
        assert done.returncode == 2, done
        assert not done.stdout, done
        assert "nowhere" in done.stderr, done

    def test_the_folder_to_try_it_on_is_as_it_was(self) -> None:
        held = {str(path.relative_to("/app/etc")) for path in Path("/app/etc").rglob("*") if path.is_file()}
        assert held == {"main.conf", "notes.txt", "sites/blog site.conf", "sites/main.conf"}, held


if __name__ == "__main__":
    unittest.main()
