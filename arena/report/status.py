"""What runs, what is left and what it took, from the runs' records alone."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.records.run import Panel, RunRecord, find_run, find_runs, load_run
from arena.report.json_form import Json, json_form
from arena.report.words import percent, seconds

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class StageLine:
    name: str
    status: str
    seconds: float | None
    said: str


@dataclass(frozen=True)
class PanelLine:
    suite: str
    sample: str
    planned: int
    scored: int
    passed: int
    unscorable: int
    left: int
    """Planned episodes that have no grade yet."""

    @property
    def rate(self) -> float | None:
        return self.passed / self.scored if self.scored else None


@dataclass(frozen=True)
class RunView:
    """One run as it stands."""

    run: str
    folder: str
    status: str
    message: str | None
    started_at: str
    updated_at: str
    stages: tuple[StageLine, ...]
    panels: tuple[PanelLine, ...]

    def as_json(self) -> Json:
        return json_form(self)

    def drawn(self) -> "RenderableType":
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        head = Text(f"{self.run}: {self.status}" + (f" ({self.message})" if self.message else ""), style="bold")
        stages = Table("stage", "status", "took", "what came of it", box=None, header_style="dim")
        for stage in self.stages:
            took = "" if stage.seconds is None else seconds(stage.seconds)
            stages.add_row(stage.name, stage.status, took, Text(stage.said))
        panels = Table("suite", "sample", "pass", "scored", "rate", "planned", "left", box=None, header_style="dim")
        for panel in self.panels:
            counts = (panel.passed, panel.scored, percent(panel.rate), panel.planned, panel.left)
            panels.add_row(panel.suite, panel.sample, *map(str, counts))
        return Group(head, Text(self.folder, style="dim"), stages, panels)


@dataclass(frozen=True)
class RunViews:
    """Every run below a folder."""

    runs: tuple[RunView, ...]

    def as_json(self) -> Json:
        return json_form(self.runs)

    def drawn(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        if not self.runs:
            return Text("no runs yet; `arena run cell CELL.yaml` makes one")
        return Group(*(part for run in self.runs for part in (run.drawn(), Text(""))))


def run_status(run: RunRecord) -> RunView:
    """Return where a run stands."""
    stages = tuple(
        StageLine(name, stage.status, stage.seconds, _said(name, dict(stage.record)))
        for name, stage in run.stages.items()
    )
    panels = tuple(_panel_line(run, panel) for panel in run.panels)
    folder = str(run.folder)
    return RunView(run.id, folder, run.status, run.message, run.started_at, run.updated_at, stages, panels)


def statuses(root: Path, name: str | None) -> RunViews:
    """Return where the run `name` stands, or every run below `root`."""
    folders = [find_run(root, name)] if name else list(find_runs(root))
    return RunViews(tuple(run_status(load_run(folder)) for folder in folders))


def _panel_line(run: RunRecord, panel: Panel) -> PanelLine:
    rows = [row for row in run.episodes if row.suite == panel.suite and row.task in panel.task_ids]
    scored = {(row.task, row.replicate) for row in rows if row.scored}
    passed = {(row.task, row.replicate) for row in rows if row.grade == "pass"}
    left = panel.planned - len(scored)
    counts = (panel.planned, len(scored), len(passed), len(panel.unscorable), left)
    return PanelLine(panel.suite, panel.sample, *counts)


def _said(name: str, record: dict[str, Json]) -> str:
    match name, record:
        case "train", {"label": label, "steps": steps, "status": status}:
            return f"{label}, {steps} steps, {status}"
        case "attest", suites:
            lines = [f"{suite}: {found['attested']} scorable" for suite, found in suites.items()]
            return "; ".join(lines)
        case "serve", {"facts": facts}:
            return str(facts.get("engine", ""))
        case "summarise", {"episodes": episodes}:
            return f"{episodes} episodes"
    return ""
