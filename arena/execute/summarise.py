"""The last stage: the episode table from the logs, and whether the run is complete."""

import time

from arena.execute.evaluate import replicate_folder_name
from arena.execute.progress import Progress
from arena.execute.run_state import RunState
from arena.records.episode import Episode
from arena.records.logbook import Logbook
from arena.records.run import Panel, RunStatus, StageState
from arena.records.table import write_episodes


def summarise(state: RunState, progress: Progress) -> tuple[RunStatus, str | None]:
    """Write `episodes.parquet` anew from the logs and return the run's status, with what is missing."""
    started = time.monotonic()
    run = state.record
    book = Logbook(run.folder)
    book.check()
    episodes: list[Episode] = []
    missing = []
    for panel in run.panels:
        rows = _episodes(panel, book)
        episodes.extend(rows)
        scored = len({(row.task, row.replicate) for row in rows if row.scored})
        passed = len({(row.task, row.replicate) for row in rows if row.grade == "pass"})
        progress.stage(f"summarise {panel.suite}", f"{passed} of {scored} scored pass; {panel.planned} planned")
        if len({(row.task, row.replicate) for row in rows}) < panel.planned or _never_ran(rows):
            missing.append(f"{panel.suite}: {scored} of {panel.planned} episodes are scored")
    write_episodes(run.folder / "episodes.parquet", episodes)
    seconds = time.monotonic() - started
    state.stage("summarise", StageState("", "done", seconds=seconds, record={"episodes": len(episodes)}))
    if missing:
        return "stopped", "; ".join(missing)
    return "complete", None


def _episodes(panel: Panel, book: Logbook) -> list[Episode]:
    suite = book.folder / "evals" / replicate_folder_name(panel.suite)
    return [row for replicate in range(1, panel.replicates + 1) for row in book.episodes(suite / f"r{replicate}")]


def _never_ran(rows: list[Episode]) -> bool:
    ran = {(row.task, row.replicate) for row in rows if row.execution not in ("not_run_budget", "cancelled", "pending")}
    return any((row.task, row.replicate) not in ran for row in rows)
