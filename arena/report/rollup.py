"""Every run and every panel in one table, and the comparisons that were asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.records.claims import LockedClaim
from arena.records.run import RunRecord, RunStatus, find_runs, load_run
from arena.report.claims import NO_DECISIONS, Decisions, decisions, with_decisions
from arena.report.compare import Comparison
from arena.report.json_form import Json, json_form
from arena.report.panel import PanelResult, panel_results
from arena.report.rollup_form import rollup_drawn, rollup_markdown

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Row:
    """One panel of one run."""

    run: str
    cell: str
    plan_digest: str
    status: RunStatus
    message: str | None
    label: str
    """`trained` or `untrained`, as the training stage found it by the weights; `unrecorded` where it did not."""
    rank: int | None
    """Among complete panels of the same sample; a partial one has none."""
    panel: PanelResult


@dataclass(frozen=True)
class Rollup:
    rows: tuple[Row, ...]
    """By suite and sample; within those the complete ones by rate, then the partial ones."""
    comparisons: tuple[Comparison, ...] = ()
    decisions: Decisions = NO_DECISIONS

    @property
    def panels(self) -> tuple[tuple[Row, ...], ...]:
        """Rows that may stand beside each other: of one suite, one sample and one score."""
        groups: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault(_group(row.panel), []).append(row)
        return tuple(tuple(rows) for rows in groups.values())

    def as_json(self) -> Json:
        return {
            "rows": json_form(self.rows),
            "comparisons": [comparison.as_json() for comparison in self.comparisons],
            "claims": self.decisions.as_json(),
        }

    def to_markdown(self) -> str:
        return rollup_markdown(self)

    def drawn(self) -> "RenderableType":
        return rollup_drawn(self)


def rollup(
    runs: Iterable[RunRecord], comparisons: Sequence[Comparison] = (), locks: Sequence[LockedClaim] = ()
) -> Rollup:
    """Put every panel of `runs` into one table, with the comparisons that were asked for and every locked claim."""
    runs = tuple(runs)
    decided = decisions(locks, runs)
    rows = [_row(run, panel) for run in runs for panel in panel_results(run)]
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(_group(row.panel), []).append(row)
    ordered = (row for group in sorted(groups) for row in _ranked(groups[group]))
    return Rollup(tuple(ordered), tuple(with_decisions(one, decided) for one in comparisons), decided)


def latest_runs(root: Path) -> tuple[RunRecord, ...]:
    """Return the newest run of every cell below `root`, by the cell's name."""
    newest = {folder.parent.name: folder for folder in find_runs(root)}
    return tuple(load_run(newest[cell]) for cell in sorted(newest))


def _group(panel: PanelResult) -> tuple[str, ...]:
    return panel.suite, panel.sample, panel.sample_digest, panel.score_definition


def _row(run: RunRecord, panel: PanelResult) -> Row:
    train = run.stages.get("train")
    label = str(train.record.get("label", "unrecorded")) if train else "unrecorded"
    return Row(run.id, run.cell, run.plan_digest, run.status, run.message, label, None, panel)


def _ranked(rows: Sequence[Row]) -> list[Row]:
    def worth(row: Row) -> tuple[bool, float, str]:
        rate = row.panel.rate
        return not _complete(row), -rate if rate is not None else 1.0, row.run

    rates = [row.panel.rate for row in rows if _complete(row) and row.panel.rate is not None]
    return [_with_rank(row, rates) for row in sorted(rows, key=worth)]


def _with_rank(row: Row, rates: Sequence[float]) -> Row:
    rate = row.panel.rate
    if rate is None or not _complete(row):
        return row
    return replace(row, rank=1 + sum(other > rate for other in rates))


def _complete(row: Row) -> bool:
    return row.status == "complete" and row.panel.status == "complete"
