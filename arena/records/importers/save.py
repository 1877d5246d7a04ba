"""Imported records as a run: a cell among others, of which most factors are unrecorded."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from arena.errors import RecordError, UsageError
from arena.records.files import write_json
from arena.records.importers.detect import read_records
from arena.records.importers.imported import DEFAULTS, Imported, Options
from arena.records.importers.join import join
from arena.records.importers.rows import factor_key
from arena.records.run import Panel, RunRecord, StageState, load_run, save_run
from arena.records.scores import counting
from arena.records.table import write_episodes
from arena.spec.canonical import digest_of
from arena.spec.factors import UNRECORDED, Factor, Role, Scalar

IMPORT_VERSION = 1

_OWED = frozenset({"pending", "not_run_budget", "interrupted_budget", "cancelled"})
_DECLARED = ("goal", "goal.digest", "model.base", "model.revision", "model.resolved")
_OF_PANEL = ("suite_digest", "scorer", "scorer.source", "retries", "budget")
_SOURCES = ("recipe.trainer.source", "harness.solver.source")
_OPEN = ("recipe.with", "harness.with", "serve.args")


def import_records(
    paths: Path | Sequence[Path],
    runs: Path,
    as_cell: str | None = None,
    options: Options = DEFAULTS,
    form: str | None = None,
) -> Imported:
    """Read the records at `paths`; with `as_cell` also keep them as a run of that cell below `runs`.

    Several paths are one system: records of one suite become its replicates, others further panels. The run's folder
    is named by a digest of all that was read, so that importing again changes nothing.

    Raises
    ------
    RecordError
        Nothing there can be imported, it is damaged, or it contradicts itself; names the place.
    UsageError
        No such path, or a name that no cell can have.
    """
    listed = [paths] if isinstance(paths, Path) else list(paths)
    found = join([read_records(path, options, form) for path in listed])
    return found if as_cell is None else save_as_cell(found, runs, as_cell)


def save_as_cell(found: Imported, runs: Path, cell: str) -> Imported:
    """Write what was read as a run of `cell`."""
    if not (cell[:1].isalnum() and len(cell) <= 100 and set(cell) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-")):
        raise UsageError(f"as_cell: expected a name of a-z, 0-9, '.', '_' and '-', got {cell!r}")
    if cell == "store":
        raise UsageError("as_cell: 'store' is where the outputs of stages lie; choose another name")
    if not found.episodes:
        raise RecordError(f"{found.source}: holds no episode, and a cell is made of episodes")
    run = _run(found, runs, cell)
    if not _is_there(run):
        write_episodes(run.folder / "episodes.parquet", run.episodes)
        write_json(run.folder / "import.json", _provenance(found))
        save_run(run)
    return replace(found, run=run.id, episodes=run.episodes)


def _run(found: Imported, runs: Path, cell: str) -> RunRecord:
    content = {
        "format": found.format,
        "panels": [asdict(panel) for panel in found.panels],
        "factors": dict(found.known),
        "episodes": [asdict(episode) for episode in found.episodes],
    }
    digest = digest_of(content)
    starts = sorted(one.started_at for one in found.episodes if one.started_at)
    written = _written(found)
    owed = sum(_owed(panel, found) for panel in found.panels)
    planned = sum(panel.planned for panel in found.panels)
    record = {"format": found.format, "files": dict(found.files), "unreadable": len(found.unreadable)}
    return RunRecord(
        folder=runs / cell / digest[:8],
        cell=cell,
        plan_digest=digest,
        status="stopped" if owed else "complete",
        started_at=starts[0] if starts else written,
        updated_at=starts[-1] if starts else written,
        panels=found.panels,
        stages={"import": StageState(digest, "done", record=record)},
        factors=tuple(_factors(found)),
        episodes=tuple(replace(episode, cell=cell, plan_digest=digest) for episode in found.episodes),
        message=f"{owed} of {planned} planned episodes are not in the imported records" if owed else None,
    )


def _written(found: Imported) -> str:
    """Return when the source was written, for records that do not say when they were made."""
    seconds = int(max(Path(one).stat().st_mtime for one in found.source.split("\n")))
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _owed(panel: Panel, found: Imported) -> int:
    there = counting(panel, found.episodes)
    return panel.planned - sum(one.scored or one.execution not in _OWED for one in there.values())


def _is_there(run: RunRecord) -> bool:
    """Whether the run lies there already, whole."""
    try:
        kept = load_run(run.folder)
    except (RecordError, OSError):
        return False
    return kept.episodes == run.episodes and kept.factors == run.factors and kept.panels == run.panels


def _provenance(found: Imported) -> dict[str, object]:
    """Return what is kept of where a run came from: names and digests of files, and all that was said of them."""
    return {
        "import_version": IMPORT_VERSION,
        "format": found.format,
        "source": [Path(one).name for one in found.source.split("\n")],
        "files": dict(found.files),
        "published": [one._asdict() for one in found.published],
        "disagreements": list(found.disagreements),
        "unreadable": [one._asdict() for one in found.unreadable],
        "notes": list(found.notes),
    }


def _factors(found: Imported) -> Iterator[Factor]:
    """Give every factor that a cell of our own would have: known, or unrecorded."""
    values: dict[str, Scalar] = dict.fromkeys((*_DECLARED, *_SOURCES, *_settings()), UNRECORDED)
    for panel in found.panels:
        head = f"evaluate.{factor_key(panel.suite)}"
        values.update(dict.fromkeys((f"{head}.{key}" for key in _OF_PANEL), UNRECORDED))
        values[f"{head}.sample"] = panel.sample_digest
        values[f"{head}.replicates"] = panel.replicates
        values[f"{head}.score_definition"] = panel.score_definition
    values.update(found.known)
    for path in sorted(values):
        role, of = _role(path)
        yield Factor(path, values[path], role, of)


def _settings() -> Iterator[str]:
    from arena.spec.cell import Cell

    for section in ("budget", "recipe", "package", "harness", "serve", "generate"):
        model = Cell.model_fields[section].annotation
        for name, field in getattr(model, "model_fields", {}).items():
            path = f"{section}.{field.alias or name}"
            if path not in _OPEN:
                yield path


def _role(path: str) -> tuple[Role, str | None]:
    head = path.split(".", maxsplit=1)[0]
    if head == "packages":
        return "nuisance", None
    return ("consequence", "serve") if head == "served" else ("design", None)
