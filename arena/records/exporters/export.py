"""Write a run in another program's form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import RecordError, UsageError
from arena.records.run import Panel, RunRecord

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What of a run is written, and under what name."""

    suite: str | None = None
    """The panel; without it the run's only one, or all of them where the form has room."""
    replicate: int = 1
    """For forms that have one attempt a task."""
    model: str | None = None
    """What the system is called; without it the cell's name."""
    organization: str | None = None
    """Who evaluated."""


DEFAULTS = Wanted()


@dataclass(frozen=True)
class Exported:
    format: str
    run: str
    files: tuple[str, ...]
    rows: int
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "files": list(self.files), "notes": list(self.notes)}

    def drawn(self) -> "RenderableType":
        from rich.text import Text

        lines = [f"{self.run} as {self.format}: {self.rows} rows", *(f"  {file}" for file in self.files)]
        return Text("\n".join([*lines, *(f"  note: {note}" for note in self.notes)]))


Exporter = Callable[[RunRecord, Path, Wanted], Exported]


def exporters() -> Mapping[str, Exporter]:
    """Return the exporters by the name of their form."""
    from arena.records.exporters import eval_arena, every_eval_ever, swe_bench

    return {
        "swe_bench": swe_bench.write,
        "eval_arena": eval_arena.write,
        "every_eval_ever": every_eval_ever.write,
    }


def export(form: str, run: RunRecord, out: Path, wanted: Wanted = DEFAULTS) -> Exported:
    """Write `run` in the form `form` into the folder `out`.

    Raises
    ------
    UsageError
        There is no such form, or the run has no such panel.
    RecordError
        The run's records do not hold what the form needs.
    """
    known = exporters()
    if form not in known:
        raise UsageError(f"no form {form!r} to export to; there are {', '.join(known)}")
    if not run.episodes:
        raise RecordError(f"{run.folder}: has no episode yet; there is nothing to export")
    return known[form](run, out, wanted)


def panels_of(run: RunRecord, wanted: Wanted) -> tuple[Panel, ...]:
    """Return the panels that were asked for."""
    if wanted.suite is None:
        return run.panels
    found = tuple(panel for panel in run.panels if panel.suite == wanted.suite)
    if not found:
        raise UsageError(f"{run.id} has no panel of {wanted.suite!r}; it has {', '.join(p.suite for p in run.panels)}")
    return found


def one_panel(run: RunRecord, wanted: Wanted) -> Panel:
    """Return the one panel that was asked for, or the only one."""
    found = panels_of(run, wanted)
    if len(found) != 1:
        raise UsageError(f"{run.id} has {len(found)} panels; choose one: {', '.join(panel.suite for panel in found)}")
    return found[0]


def factor(run: RunRecord, path: str) -> str | None:
    """Return a factor that was recorded, as text."""
    found = next((one.value for one in run.factors if one.path == path), None)
    return None if found in (None, "unrecorded") else str(found)
