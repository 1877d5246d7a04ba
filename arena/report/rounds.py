"""Runs cut to whole rounds: what is compared while replicates are still being added."""

from dataclasses import replace

from arena.records.run import Panel, RunRecord
from arena.report.outcomes import ended, panel_outcomes


def panel_of(run: RunRecord, suite: str) -> Panel | None:
    return next((panel for panel in run.panels if panel.suite == suite), None)


def whole_rounds(run: RunRecord, suite: str) -> int:
    """Return how many replicates of a suite, from the first on, have every planned episode."""
    panel = panel_of(run, suite)
    if panel is None:
        return 0
    outcomes = panel_outcomes(run, panel)
    done = {place for place, episode in outcomes.counting.items() if ended(episode)}
    missing = [replicate for task, replicate in outcomes.places if (task, replicate) not in done]
    return min(missing, default=panel.replicates + 1) - 1


def cut(run: RunRecord, suite: str, rounds: int) -> RunRecord:
    """Return the run as if it had planned only so many replicates of the suite."""
    return replace(
        run,
        panels=tuple(_cut_panel(panel, rounds) if panel.suite == suite else panel for panel in run.panels),
        episodes=tuple(one for one in run.episodes if one.suite != suite or one.replicate <= rounds),
    )


def _cut_panel(panel: Panel, rounds: int) -> Panel:
    return replace(panel, replicates=rounds, absent=tuple(place for place in panel.absent if place[1] <= rounds))
