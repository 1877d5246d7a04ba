"""Files of other programs, read with their place: what is damaged or of another type is said with file and key."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from arena.errors import RecordError, boundary

LARGEST_FILE = 2**30
LARGEST_COUNT = 2**53


@dataclass(frozen=True)
class Fields:
    """A JSON object and where it stands.

    A key that is absent or null gives none where that may be; a value of another type is an error, never a guess.
    """

    data: Mapping[str, Any]
    place: str

    def value(self, key: str) -> Any:
        return self.data.get(key)

    def wrong(self, key: str, expected: str) -> RecordError:
        got = "nothing" if key not in self.data else shown(self.data[key])
        return RecordError(f"{self.place}: {key}: expected {expected}, got {got}")

    def text(self, key: str) -> str:
        found = self.maybe_text(key)
        if not found:
            raise self.wrong(key, "a text")
        return found

    def maybe_text(self, key: str) -> str | None:
        found = self.data.get(key)
        if found is None:
            return None
        if not is_text(found):
            raise self.wrong(key, "a text or null")
        return str(found)

    def name(self, key: str) -> str:
        """Return an id that may be a text or a whole number, as text."""
        found = self.data.get(key)
        if isinstance(found, int) and not isinstance(found, bool) and abs(found) < LARGEST_COUNT:
            return str(found)
        if not is_text(found) or not found:
            raise self.wrong(key, "a text or a whole number")
        return str(found)

    def flag(self, key: str) -> bool:
        found = self.maybe_flag(key)
        if found is None:
            raise self.wrong(key, "true or false")
        return found

    def maybe_flag(self, key: str) -> bool | None:
        found = self.data.get(key)
        if found is not None and not isinstance(found, bool):
            raise self.wrong(key, "true, false or null")
        return found

    def count(self, key: str, most: int = LARGEST_COUNT) -> int:
        found = self.maybe_count(key, most)
        if found is None:
            raise self.wrong(key, "a whole number")
        return found

    def maybe_count(self, key: str, most: int = LARGEST_COUNT) -> int | None:
        found = self.data.get(key)
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if found is not None and (isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= most):
            raise self.wrong(key, f"a whole number from 0 to {most}, or null")
        return found

    def maybe_number(self, key: str) -> float | None:
        """Return a number; NaN, which some programs write for what they do not know, is none."""
        found = self.data.get(key)
        if found is None or (isinstance(found, float) and math.isnan(found)):
            return None
        if isinstance(found, bool) or not isinstance(found, int | float) or abs(found) > LARGEST_COUNT:
            raise self.wrong(key, "a finite number or null")
        return float(found)

    def maybe_amount(self, key: str) -> float | None:
        """Return a number that cannot be below 0."""
        found = self.maybe_number(key)
        if found is not None and found < 0:
            raise self.wrong(key, "a number that is not below 0")
        return found

    def maybe_time(self, key: str) -> str | None:
        """Return an ISO 8601 time in UTC; none also where the zone is not said."""
        at = self._moment(key)
        return None if at is None or at.tzinfo is None else at.isoformat()

    def seconds(self, start: str, end: str) -> float | None:
        """Return how long it was from one time to another; none where one is missing or they are in the wrong order."""
        first, last = self._moment(start), self._moment(end)
        if first is None or last is None or (first.tzinfo is None) != (last.tzinfo is None):
            return None
        found = (last - first).total_seconds()
        return found if found >= 0 else None

    def _moment(self, key: str) -> datetime | None:
        found = self.maybe_text(key)
        if not found:
            return None
        try:
            at = datetime.fromisoformat(found)
            return at if at.tzinfo is None else at.astimezone(UTC)
        except (ValueError, OverflowError):
            raise self.wrong(key, "an ISO 8601 time or null") from None

    def fields(self, key: str) -> "Fields":
        found = self.maybe_fields(key)
        if found is None:
            raise self.wrong(key, "an object")
        return found

    def maybe_fields(self, key: str) -> "Fields | None":
        found = self.data.get(key)
        if found is not None and not isinstance(found, dict):
            raise self.wrong(key, "an object or null")
        return None if found is None else Fields(found, f"{self.place}: {key}")

    def list_of_fields(self, key: str) -> "tuple[Fields, ...]":
        """Return a list of objects, empty where the key is absent."""
        found = self.data.get(key) or []
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            raise self.wrong(key, "a list of objects")
        return tuple(Fields(item, f"{self.place}: {key}[{index}]") for index, item in enumerate(found))

    def ids(self, key: str) -> tuple[str, ...]:
        found = self.maybe_ids(key)
        if found is None:
            raise self.wrong(key, "a list of ids")
        return found

    def maybe_ids(self, key: str) -> tuple[str, ...] | None:
        """Return a list of texts, none of them twice."""
        found = self.data.get(key)
        if found is None:
            return None
        if not isinstance(found, list) or not all(is_text(item) and item for item in found):
            raise self.wrong(key, "a list of ids")
        if len(set(found)) != len(found):
            raise self.wrong(key, "a list that names no id twice")
        return tuple(found)


@dataclass(frozen=True)
class Source:
    """What is imported: a file or a folder, and the digest of every file of it that was read."""

    root: Path
    files: dict[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        return self.root if self.root.is_dir() else self.root.parent

    def name(self, path: Path) -> str:
        """Return a file's name below the source's folder."""
        return path.relative_to(self.folder).as_posix() if path.is_relative_to(self.folder) else path.name

    def content(self, path: Path) -> bytes:
        """Return a file's bytes; raises `RecordError` for what is no plain file, or too large."""
        try:
            if not path.is_file():
                raise RecordError(f"{path}: no such file")
            if (size := path.stat().st_size) > LARGEST_FILE:
                raise RecordError(f"{path}: {size} bytes, the largest file that is read has {LARGEST_FILE}")
            content = path.read_bytes()
        except (OSError, ValueError) as failed:
            raise RecordError(f"{path}: cannot be read ({failed})") from None
        self.files[self.name(path)] = hashlib.sha256(content).hexdigest()
        return content

    def text(self, path: Path) -> str:
        try:
            return self.content(path).decode("utf-8-sig")
        except UnicodeDecodeError as damage:
            raise RecordError(f"{path}: not UTF-8 at byte {damage.start}; restore the file") from None

    def json(self, path: Path) -> Any:
        return parsed(self.text(path), str(path))

    def object(self, path: Path) -> Fields:
        return as_fields(self.json(path), str(path))

    def lines(self, path: Path) -> Iterator[Fields | RecordError]:
        """Give every line's object, or what is wrong with the line; empty lines are passed over."""
        for number, line in enumerate(self.text(path).split("\n"), start=1):
            if not line.strip():
                continue
            place = f"{path}:{number}"
            try:
                yield as_fields(parsed(line, place), place)
            except RecordError as damage:
                yield damage

    def yaml(self, path: Path) -> Any:
        import yaml

        text = self.text(path)
        with boundary(RecordError, f"{path}: damaged YAML"):
            return yaml.safe_load(text)


def parsed(text: str, place: str) -> Any:
    """Parse JSON; a key that stands twice is damage, since nobody can say which of its values was meant."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as damage:
        where = f"{place}:{damage.lineno}" if damage.lineno > 1 else place
        raise RecordError(f"{where}: damaged JSON ({damage.msg} at character {damage.pos})") from None
    except (ValueError, RecursionError) as damage:
        raise RecordError(f"{place}: damaged JSON ({damage})") from None


def as_fields(value: Any, place: str) -> Fields:
    if not isinstance(value, dict):
        raise RecordError(f"{place}: expected an object, got {shown(value)}")
    return Fields(value, place)


def is_text(value: object) -> bool:
    """Whether a value is a text that can be written: an escaped half of a character cannot."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(value: object) -> str:
    """Return a value as an error message shows it: in one line, and short."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, int) and abs(value) > LARGEST_COUNT:
        return "a number of that size"
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def entries(folder: Path) -> Sequence[Path]:
    """Return what lies in a folder, sorted by name; nothing where it is no folder."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = sorted(key for key, _ in pairs)
        twice = next(one for one, other in pairwise(keys) if one == other)
        raise ValueError(f"the key {shown(twice)} stands twice")
    return found
