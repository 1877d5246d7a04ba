import json
import unittest
from pathlib import Path

WANTED = {
    "cache": {"kind": "lru", "size": "128"},
    "log": {"level": "debug"},
    "mail": {"from": "noreply@example.org", "relay": "mx.example.org"},
    "server": {"host": "10.1.0.7", "port": "8443", "workers": "8"},
}


class Settings(unittest.TestCase):
    def test_every_section_is_right(self) -> None:
        found = json.loads(Path("/app/settings.json").read_text())
        for section in {*WANTED, *found}:
            assert found.get(section) == WANTED.get(section), (section, found.get(section))


if __name__ == "__main__":
    unittest.main()
