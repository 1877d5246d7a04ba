import hashlib
import unittest
from pathlib import Path

RECOVERED = Path("/app/recovered")
WANTED = {
    "friday.txt": "56b634dbc0d76f75f0e026ecd84cd6ab7b0ba0f587ddcadc10dd648b93930e0a",
    "monday.txt": "1adeac7602cbc16bf4bc4368b1f04dc19d6762ac4e638d1a971b11d2510b6fe8",
    "thursday.txt": "2db881afa142f21d6375ff068a18ab4f93cd4c9bd8a75b105a18db87a062e181",
    "tuesday.txt": "06e031579ac3c067afe65826e843c82791fff11daf80e8d265e26e09e7cfe0f9",
    "wednesday.txt": "68cbbe3325370b264c0300912380fdc0063ca8d2c39b1020469dba9c4e305bca",
}


class Recovered(unittest.TestCase):
    def test_all_five_are_there_and_whole(self) -> None:
        found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in RECOVERED.iterdir()}
        assert found == WANTED, found


if __name__ == "__main__":
    unittest.main()
