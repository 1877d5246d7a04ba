"""The noise floor of a run as an artifact of its own: measured per suite and task, or assumed and marked so.

A floor belongs to its cell, its suite and its rate. It is carried to no other.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arena.records.files import write_json
from arena.records.run import RunRecord
from arena.report.discordance import ASSUMED_SHARE, Discordance, discordance
from arena.report.json_form import Json, json_form
from arena.report.outcomes import PanelOutcomes, panel_outcomes
from arena.report.words import NONE, margin, percent, table
from stats import noise_band

if TYPE_CHECKING:
    from rich.console import RenderableType

NOISE = "noise.json"
NOISE_VERSION = 1
HEADER = ("suite", "floor", "tasks", "disagree", "variance of a run", "band of two single runs", "symmetry p")


@dataclass(frozen=True)
class TaskNoise:
    """One task's replicates."""

    task: str
    scored: int
    passed: int
    discordant: int
    """Pairs of replicates that disagree."""
    within: float
    """Variance of one run, k (m - k) / (m (m - 1))."""


@dataclass(frozen=True)
class PanelNoise:
    suite: str
    sample_digest: str
    score_definition: str
    rate: float | None
    """The rate at which the floor holds."""
    floor: str
    """`measured`, `assumed` (a range), or `none`."""
    found: Discordance
    band: float | None
    """Difference of two single runs of this system, on these tasks, that noise alone stays within."""
    by_task: tuple[TaskNoise, ...]
    """Tasks that were scored twice or more."""


@dataclass(frozen=True)
class RunNoise:
    """What a run says about noise."""

    run: str
    plan_digest: str
    panels: tuple[PanelNoise, ...]

    def as_json(self) -> Json:
        return {"noise_version": NOISE_VERSION, "assumed_share": list(ASSUMED_SHARE)} | json_form(self)

    def to_markdown(self) -> str:
        return f"# Noise of {self.run}\n\n{table(HEADER, [_line(panel) for panel in self.panels])}\n"

    def drawn(self) -> "RenderableType":
        from rich.table import Table
        from rich.text import Text

        drawn = Table(*HEADER, title=self.run, box=None, header_style="dim")
        for panel in self.panels:
            drawn.add_row(*(Text(text) for text in _line(panel)))
        return drawn


def run_noise(run: RunRecord) -> RunNoise:
    """Measure the noise of every panel of a run."""
    panels = tuple(_panel_noise(panel_outcomes(run, panel)) for panel in run.panels)
    return RunNoise(run.id, run.plan_digest, panels)


def write_noise(run: RunRecord) -> Path:
    """Write `noise.json` beside the run's records, and return where."""
    path = run.folder / NOISE
    write_json(path, run_noise(run).as_json())
    return path


def _panel_noise(outcomes: PanelOutcomes) -> PanelNoise:
    found = discordance(outcomes)
    scored = outcomes.matrix[np.isfinite(outcomes.matrix)]
    within = found.within
    return PanelNoise(
        suite=outcomes.panel.suite,
        sample_digest=outcomes.panel.sample_digest,
        score_definition=outcomes.panel.score_definition,
        rate=float(scored.mean()) if scored.size else None,
        floor="measured" if within is not None else "none" if found.assumed is None else "assumed",
        found=found,
        band=None if within is None else noise_band(within, len(outcomes.panel.task_ids)),
        by_task=tuple(_by_task(outcomes)),
    )


def _by_task(outcomes: PanelOutcomes) -> list[TaskNoise]:
    found = []
    for task, row in zip(outcomes.panel.task_ids, outcomes.matrix, strict=True):
        scored, passed = int(np.isfinite(row).sum()), int(np.nansum(row))
        if scored > 1:
            discordant = passed * (scored - passed)
            found.append(TaskNoise(task, scored, passed, discordant, discordant / (scored * (scored - 1))))
    return found


def _line(panel: PanelNoise) -> list[str]:
    found, assumed = panel.found, panel.found.assumed
    floor = panel.floor if found.status != "replicates_identical" else f"{panel.floor}; replicates identical"
    if found.copies_suspected:
        floor += ", copies?"
    variance = NONE if found.within is None else f"{found.within:.4f}"
    if assumed is not None:
        variance = f"{assumed.lo:.4f} to {assumed.hi:.4f}"
    symmetry = NONE if found.symmetry_p is None else f"{found.symmetry_p:.3f}"
    return [panel.suite, floor, str(found.tasks), percent(found.rate), variance, margin(panel.band), symmetry]
