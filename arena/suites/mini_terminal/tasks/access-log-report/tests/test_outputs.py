import json
import unittest
from pathlib import Path

WANTED = {
    "requests": 240,
    "server_errors": 31,
    "bytes": 1113564,
    "busiest_client": "10.0.0.4",
    "errors_by_path": {
        "/": 5,
        "/api/items": 1,
        "/api/items/17": 6,
        "/cart": 1,
        "/checkout": 5,
        "/search": 8,
        "/static/site.css": 5,
    },
}


class Report(unittest.TestCase):
    def test_every_figure_is_right(self) -> None:
        found = json.loads(Path("/app/report.json").read_text())
        for key, value in WANTED.items():
            assert found[key] == value, (key, found[key])


if __name__ == "__main__":
    unittest.main()
