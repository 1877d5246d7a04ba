"""What is wrong with a file, and where."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from arena.errors import CellError
from arena.spec.canonical import canonical_json

KeyPath = tuple[str | int, ...]
"""Where a value stands in a document: `("evaluate", 0, "sample")`."""

_SHOWN_CHARACTERS = 80
_PLAIN = re.compile(r"[\w<@/:+-]{1,80}")


@dataclass(frozen=True, order=True)
class Place:
    """A line of a file; both numbers count from 1."""

    file: Path
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong; printed as `file:line: key.path: what was wrong, what was got, what to do`."""

    place: Place
    path: KeyPath
    text: str

    def __str__(self) -> str:
        where = f"{dotted(self.path)}: " if self.path else ""
        return f"{self.place}: {where}{_printable(self.text)}"


class PlacedError(CellError):
    """A `CellError` whose every line names its file and line already."""


def refuse(problems: Iterable[Problem]) -> NoReturn:
    """Raise a `CellError` that has one line for each problem, in the order of the file."""
    ordered = sorted(problems, key=lambda problem: (str(problem.place.file), problem.place.line, problem.place.column))
    raise PlacedError("\n".join(dict.fromkeys(str(problem) for problem in ordered)))


def dotted(path: KeyPath) -> str:
    """Return `evaluate[0].sample` for `("evaluate", 0, "sample")`; a key that is no plain word is quoted."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{_word(part)}" for part in path).removeprefix(".")


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() or one == "\n" else repr(one)[1:-1] for one in text)


def _word(key: str) -> str:
    return key if _PLAIN.fullmatch(key) else repr(key)


def shown(value: object) -> str:
    """Return a value as an error message shows it: quoted, in one line, and short."""
    text = repr(value) if isinstance(value, str) else _printable(canonical_json(value))
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
