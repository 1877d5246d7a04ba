"""Which logs a run has, by digest: a log that was removed or changed after it was written is noticed.

Deleting a log would otherwise be a way to roll a bad replicate again.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from arena.errors import LockedError
from arena.records.episode import Episode
from arena.records.ledgers import Ledger
from arena.records.logs import LoggedAttempt, read_attempt


@dataclass(frozen=True)
class Logbook:
    """The logs of one run, below `folder`."""

    folder: Path

    @property
    def _ledger(self) -> Ledger:
        return Ledger(self.folder / "logs.jsonl")

    def enter(self, log: Path) -> LoggedAttempt:
        """Record a log that is now whole, and return what it holds."""
        digest = _sha256(log)
        attempt = _read(log, self._name(log), digest)
        entry = {"log": self._name(log), "sha256": digest, "episodes": len(attempt.episodes)}
        self._ledger.append("written", entry)
        return attempt

    def digests(self) -> dict[str, str]:
        """Return the sha256 of every log, by its path below the run's folder."""
        return {entry.data["log"]: entry.data["sha256"] for entry in self._ledger.entries()}

    def check(self) -> None:
        """Raise `LockedError` where a log is gone or no longer what it was."""
        for name, digest in self.digests().items():
            path = self.folder / name
            if not path.is_file():
                raise LockedError(
                    f"{path}: this log was written and is gone; restore it: its episodes are not run twice"
                )
            if _sha256(path) != digest:
                raise LockedError(f"{path}: this log was changed after it was written; restore it")

    def episodes(self, below: Path) -> tuple[Episode, ...]:
        """Return the episodes of the logs `a<A>.eval` in the folder `below`, in order of their attempts."""
        known = self.digests()
        rows: list[Episode] = []
        for log in sorted(below.glob("a*.eval"), key=lambda path: int(path.stem.removeprefix("a"))):
            if self._name(log) not in known:
                self.enter(log)  # the process died between moving the log and entering it
            rows.extend(_read(log, self._name(log), _sha256(log)).episodes)
        return tuple(rows)

    def _name(self, log: Path) -> str:
        return str(log.relative_to(self.folder))


@lru_cache(maxsize=32)
def _read(log: Path, name: str, _digest: str) -> LoggedAttempt:
    """Read a log once for each content that it has."""
    return read_attempt(log, name)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
