import unittest
from pathlib import Path

INBOX = Path("/app/inbox")
KEPT = {
    "a/copy of poem.txt": "roses\n",
    "b/empty1": "",
    "b/empty2": "",
    "b/poem.txt": "violets\n",
    "c/list": "milk\neggs\n",
    "c/list.bak": "milk\neggs",
    "c/unique": "one of its kind\n",
}
REMOVED = [
    "a/poem.txt = a/copy of poem.txt",
    "b/deep/p.txt = a/copy of poem.txt",
    "c/zz/list = c/list",
    "d/violets = b/poem.txt",
]


class Duplicates(unittest.TestCase):
    def test_the_right_files_are_left(self) -> None:
        found = {str(path.relative_to(INBOX)): path.read_text() for path in INBOX.rglob("*") if path.is_file()}
        assert found == KEPT, found

    def test_what_was_removed_is_listed(self) -> None:
        assert Path("/app/removed.txt").read_text().splitlines() == REMOVED


if __name__ == "__main__":
    unittest.main()
