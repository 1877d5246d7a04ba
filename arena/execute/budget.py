"""What was used of a budget: seconds over all attempts, on disk, so that a killed one is counted too."""

import time
from pathlib import Path

from arena.records.files import read_json, write_json

SAVE_EVERY_S = 5.0


class Account:
    """Seconds used by one stage or panel; runs from when it is opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = float(read_json(path)["seconds"]) if path.exists() else 0.0
        self._started = self._saved = time.monotonic()

    @property
    def used_s(self) -> float:
        return self._before + time.monotonic() - self._started

    def save(self) -> None:
        self._saved = time.monotonic()
        write_json(self._path, {"seconds": self.used_s})

    def tick(self) -> None:
        """Save, at most every few seconds."""
        if time.monotonic() - self._saved > SAVE_EVERY_S:
            self.save()

    def deadline_s(self, hours: float | None) -> float | None:
        """Return the Unix time at which `hours` are used up, or none without a limit."""
        return None if hours is None else time.time() + hours * 3600 - self.used_s
