"""Append-only ledgers: one JSON object a line, each with the digest of the line before it.

A ledger says what happened to a checkpoint or a submission; a folder's name says nothing. Nothing is edited: what
changes is said in a further line, with who said it and why.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.errors import LockedError, RecordError

START = "0" * 64


@dataclass(frozen=True)
class Entry:
    """One line of a ledger."""

    event: str
    at: str
    """ISO 8601, UTC."""
    data: Mapping[str, Any]
    previous: str
    """sha256 of the line before, or zeros."""


@dataclass(frozen=True)
class Ledger:
    path: Path

    def append(self, event: str, data: Mapping[str, object]) -> Entry:
        """Add a line, on disk before this returns; raises `LockedError` where the lines before it were changed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            previous = self._last_digest()
            entry = Entry(event, datetime.now(UTC).isoformat(timespec="seconds"), dict(data), previous)
            line = {"event": event, "at": entry.at, "previous": previous, "data": entry.data}
            file.write(json.dumps(line, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        return entry

    def entries(self) -> tuple[Entry, ...]:
        """Return every line in order; raises `LockedError` for a changed line, `RecordError` for a damaged one."""
        return self._read()[0]

    def _last_digest(self) -> str:
        return self._read()[1]

    def _read(self) -> tuple[tuple[Entry, ...], str]:
        if not self.path.exists():
            return (), START
        entries: list[Entry] = []
        previous = START
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), start=1):
            place = f"{self.path}:{number}"
            try:
                data = json.loads(line)
                entry = Entry(data["event"], data["at"], data["data"], data["previous"])
            except (json.JSONDecodeError, KeyError, TypeError) as damage:
                raise RecordError(f"{place}: damaged ledger line ({damage}); restore the file") from None
            if entry.previous != previous:
                raise LockedError(f"{place}: the line before this one was changed after it was written; restore it")
            previous = hashlib.sha256(line.encode()).hexdigest()
            entries.append(entry)
        return tuple(entries), previous
