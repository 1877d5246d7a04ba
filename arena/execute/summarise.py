"""The last stage: the episode table from the logs, and whether the run is complete."""

import time
from collections.abc import Collection
from typing import Any

from arena.execute.evaluate import replicate_folder_name
from arena.execute.progress import Progress
from arena.execute.run_state import RunState
from arena.records.episode import Episode
from arena.records.logbook import Logbook
from arena.records.outcome import Execution
from arena.records.run import Panel, RunRecord, RunStatus, StageState
from arena.records.table import write_episodes
from arena.spec.factors import UNRECORDED


def summarise(state: RunState, spent: Collection[str], progress: Progress) -> tuple[RunStatus, str | None]:
    """Write `episodes.parquet` anew from the logs; return the run's status and what is missing.

    `spent` are the suites whose panel has used up its budget: what they did not reach will not be run.
    """
    started = time.monotonic()
    run = state.record
    book = Logbook(run.folder)
    book.check()
    episodes: list[Episode] = []
    missing = []
    for panel in run.panels:
        rows = _episodes(panel, book)
        absent = _never_run(panel, rows, run, "not_run_budget" if panel.suite in spent else "pending")
        episodes.extend((*rows, *absent))
        scored = len({(row.task, row.replicate) for row in rows if row.scored})
        passed = len({(row.task, row.replicate) for row in rows if row.grade == "pass"})
        progress.stage(f"summarise {panel.suite}", f"{passed} of {scored} scored pass; {panel.planned} planned")
        if absent:
            missing.append(f"{panel.suite}: {len(absent)} of {panel.planned} episodes {absent[0].reason}")
    write_episodes(run.folder / "episodes.parquet", episodes)
    seconds = time.monotonic() - started
    state.stage("summarise", StageState("", "done", seconds=seconds, record={"episodes": len(episodes)}))
    pending = any(episode.execution == "pending" for episode in episodes)
    return "stopped" if pending else "complete", "; ".join(missing) or None


def _episodes(panel: Panel, book: Logbook) -> list[Episode]:
    suite = book.folder / "evals" / replicate_folder_name(panel.suite)
    return [row for replicate in range(1, panel.replicates + 1) for row in book.episodes(suite / f"r{replicate}")]


def _never_run(panel: Panel, rows: list[Episode], run: RunRecord, why: Execution) -> list[Episode]:
    """Return a row for each planned place at which no attempt came to an end."""
    ran = {(row.task, row.replicate) for row in rows if row.execution not in ("cancelled", "interrupted_budget")}
    places = ((task, replicate) for replicate in range(1, panel.replicates + 1) for task in panel.task_ids)
    return [_row(panel, run, place, why) for place in places if place not in ran and place not in set(panel.absent)]


def _row(panel: Panel, run: RunRecord, place: tuple[str, int], why: Execution) -> Episode:
    nothing: dict[str, Any] = dict.fromkeys(
        ("limit", "tokens_in", "tokens_cached", "tokens_out", "turns", "working_s", "waiting_s", "cost")
    )
    nothing |= dict.fromkeys(("parent_episode", "started_at", "patch_digest", "training_seed"))
    unknown: dict[str, Any] = dict.fromkeys(
        ("group", "tier", "system_digest", "harness_digest", "environment_digest", "weights_digest"), UNRECORDED
    )
    return Episode(
        cell=run.cell,
        plan_digest=run.plan_digest,
        suite=panel.suite,
        sample_digest=panel.sample_digest,
        task=place[0],
        replicate=place[1],
        attempt=1,
        execution=why,
        grade="unscored",
        reason=why,
        score_definition=panel.score_definition,
        delegations=0,
        limits_kind=UNRECORDED,
        grader_version=UNRECORDED,
        log_file="",
        sample_id="",
        **nothing,
        **unknown,
    )
