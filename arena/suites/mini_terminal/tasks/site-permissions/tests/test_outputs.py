import stat
import unittest
from pathlib import Path

SITE = Path("/app/site")
WANTED = {
    "bin": "755",
    "bin/README": "644",
    "bin/start": "755",
    "bin/stop": "755",
    "public": "755",
    "public/img": "755",
    "public/img/logo.txt": "644",
    "public/index.html": "644",
    "secrets": "700",
    "secrets/old": "700",
    "secrets/old/key": "400",
    "secrets/token": "400",
    "spool": "2770",
    "spool/2024.txt": "660",
    "spool/in": "2770",
    "spool/in/one.txt": "660",
}
FOLDERS = {"bin", "public", "public/img", "secrets", "secrets/old", "spool", "spool/in"}
TEXTS = {"secrets/token": "tr0ub4dor\n", "secrets/old/key": "k3y\n", "bin/start": "#!/bin/sh\necho started\n"}


class Permissions(unittest.TestCase):
    def test_all_are_as_the_rules_say(self) -> None:
        found = {str(path.relative_to(SITE)): f"{stat.S_IMODE(path.lstat().st_mode):o}" for path in SITE.rglob("*")}
        assert found == WANTED, sorted(set(found.items()) ^ set(WANTED.items()))

    def test_folders_are_folders_and_files_are_files(self) -> None:
        for path in SITE.rglob("*"):
            kind = path.lstat().st_mode
            assert stat.S_ISDIR(kind) if str(path.relative_to(SITE)) in FOLDERS else stat.S_ISREG(kind), path

    def test_contents_are_what_they_were(self) -> None:
        for path, text in TEXTS.items():
            assert (SITE / path).read_text() == text, path


if __name__ == "__main__":
    unittest.main()
