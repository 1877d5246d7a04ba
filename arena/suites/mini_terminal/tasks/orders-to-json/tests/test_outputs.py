import hashlib
import json
import unittest
from pathlib import Path

NAMES = ["Ana Ruiz", "Bo, Li", 'Carla "Cee" Dahl', "Dmitri Orlov", "Émile Nadeau"]
DIGEST = "6a4cc36fb610b2d22a04b7f2ca321d067b9c10160ea249e077e478f7296b3ce7"
"""Of the whole list as JSON with sorted keys."""


class Customers(unittest.TestCase):
    def setUp(self) -> None:
        self.found = json.loads(Path("/app/customers.json").read_text(encoding="utf8"))

    def test_customers_are_there_by_name(self) -> None:
        assert [each["customer"] for each in self.found] == NAMES, self.found

    def test_everything_of_them_is_right(self) -> None:
        assert hashlib.sha256(json.dumps(self.found, sort_keys=True).encode()).hexdigest() == DIGEST, self.found


if __name__ == "__main__":
    unittest.main()
