"""Which program made a record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arena.errors import RecordError, UsageError, boundary
from arena.records.importers import (
    harbor,
    inspect_logs,
    lm_eval,
    mini_swe_agent,
    swe_bench,
    terminal_bench_1,
    verifiers,
)
from arena.records.importers.imported import DEFAULTS, Imported, Options


class _Read(Protocol):
    def __call__(self, path: Path, options: Options = DEFAULTS) -> Imported: ...


@dataclass(frozen=True)
class Importer:
    name: str
    looks_for: str
    """What it needs to find at a path."""
    recognises: Callable[[Path], bool]
    """Look at names and beginnings of files only."""
    read: _Read


_MODULES = (inspect_logs, harbor, terminal_bench_1, verifiers, lm_eval, swe_bench, mini_swe_agent)

IMPORTERS: Mapping[str, Importer] = {
    one.NAME: Importer(one.NAME, one.LOOKS_FOR, one.recognises, one.read) for one in _MODULES
}
"""In the order in which they are asked: reports of a grader before the predictions that it graded."""


def detect(path: Path) -> Importer:
    """Return the importer of what lies at `path`; raises `RecordError` that says what each one looked for."""
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    for one in IMPORTERS.values():
        with boundary(RecordError, f"{path}: cannot be looked at"):
            if one.recognises(path):
                return one
    looked = "\n".join(f"  {one.name}: {one.looks_for}" for one in IMPORTERS.values())
    raise RecordError(f"{path}: no record that can be imported; looked for\n{looked}")


def read_records(path: Path, options: Options = DEFAULTS, form: str | None = None) -> Imported:
    """Read what lies at `path` with the importer `form`, or with the one that recognises it.

    Raises
    ------
    RecordError
        Nothing that can be imported lies there, or it is damaged or contradicts itself; names the place.
    """
    if form is not None and form not in IMPORTERS:
        raise UsageError(f"no importer {form!r}; there are {', '.join(IMPORTERS)}")
    if options.pass_at is not None and not 0 < options.pass_at <= 1:
        raise UsageError(f"pass_at: expected a reward above 0 and up to 1, got {options.pass_at:g}")
    importer = IMPORTERS[form] if form else detect(path)
    with boundary(RecordError, f"{path}: damaged {importer.name} record"):
        return importer.read(path, options)
