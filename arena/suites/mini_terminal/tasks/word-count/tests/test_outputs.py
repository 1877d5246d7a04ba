import unittest
from pathlib import Path

WANTED = """\
4 harbour
4 ships
3 bell
3 clock
3 noon
3 tide
1 again
"""


class Words(unittest.TestCase):
    def test_the_list_is_right(self) -> None:
        found = Path("/app/words.txt").read_text()
        assert found.rstrip("\n") == WANTED.rstrip("\n"), found


if __name__ == "__main__":
    unittest.main()
