import unittest
from pathlib import Path

SUPPLIERS = "flour: Mill Lane\nbeans: Green Acre\nfish: Old Quay\n"
DELETED = "8f10cb5de84cfe3d4ec292f02c23c6273fc188ab"
RAISED = "df901463fd26b8eeefe4bf67bc301468b418960d"


class Found(unittest.TestCase):
    def test_the_file_is_back(self) -> None:
        assert Path("/app/suppliers.txt").read_text() == SUPPLIERS

    def test_the_commit_that_deleted_it_is_named(self) -> None:
        assert Path("/app/deleted-by.txt").read_text().strip() == DELETED

    def test_the_commit_that_raised_the_price_is_named(self) -> None:
        assert Path("/app/raised-by.txt").read_text().strip() == RAISED


if __name__ == "__main__":
    unittest.main()
