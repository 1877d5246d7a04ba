"""Every run and every panel in one table, and the comparisons that were asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from arena.records.claims import ClaimLedger, LockedClaim
from arena.records.run import RunRecord, RunStatus, find_runs, load_run
from arena.report.alarms import Alarm, alarms
from arena.report.claims import NO_DECISIONS, Decisions, decisions, with_decisions
from arena.report.compare import Comparison
from arena.report.factorial import FactorTable, factorials
from arena.report.json_form import Json, json_form
from arena.report.panel import PanelResult, panel_results
from arena.report.rollup_form import rollup_drawn, rollup_markdown
from arena.report.standings import Standing, Standings, standings
from arena.spec.study import Study

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
    standings: tuple[Standings, ...] = ()
    """Of every panel of which two or more runs are complete."""
    alarms: tuple[Alarm, ...] = ()
    factorials: tuple[FactorTable, ...] = ()

    def standing(self, row: Row) -> Standing | None:
        """Return where a row stands among the complete ones of its panel; a partial one has no standing."""
        return self._standing_by_row.get((row.run, *_group(row.panel)))

    @cached_property
    def _standing_by_row(self) -> Mapping[tuple[str, ...], Standing]:
        by_run = {(one.run, found.suite): one for found in self.standings for one in found.runs}
        ranked = [row for row in self.rows if row.rank is not None]
        places = {(row.run, *_group(row.panel)): by_run.get((row.run, row.panel.suite)) for row in ranked}
        return {key: one for key, one in places.items() if one is not None}

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
            "standings": json_form(self.standings),
            "alarms": json_form(self.alarms),
            "factorials": json_form(self.factorials),
        }

    def to_markdown(self) -> str:
        return rollup_markdown(self)

    def drawn(self) -> "RenderableType":
        return rollup_drawn(self)


def rollup(
    runs: Iterable[RunRecord],
    comparisons: Sequence[Comparison] = (),
    locks: Sequence[LockedClaim] = (),
    study: Study | None = None,
) -> Rollup:
    """Put every panel of `runs` into one table.

    Parameters
    ----------
    runs
        What is shown.
    comparisons
        Those that were asked for.
    locks
        Every locked claim, to be decided from these runs.
    study
        A study whose grid is laid out as 2 x 2 tables.
    """
    runs = tuple(runs)
    claims = decisions(locks, runs)
    rows = [_row(run, panel) for run in runs for panel in panel_results(run)]
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(_group(row.panel), []).append(row)
    ordered = [row for group in sorted(groups) for row in _ranked(groups[group])]
    return Rollup(
        rows=tuple(ordered),
        comparisons=tuple(with_decisions(one, claims) for one in comparisons),
        decisions=claims,
        standings=tuple(_all_standings(ordered, runs)),
        alarms=alarms(runs),
        factorials=() if study is None else factorials(study, runs),
    )


def _all_standings(rows: Sequence[Row], runs: Sequence[RunRecord]) -> Iterator[Standings]:
    by_id = {run.id: run for run in runs}
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row.rank is not None:
            groups.setdefault(_group(row.panel), []).append(row)
    for of_panel in groups.values():
        found = standings([by_id[row.run] for row in of_panel], of_panel[0].panel.suite)
        if found is not None:
            yield found


def latest_runs(root: Path) -> tuple[RunRecord, ...]:
    """Return the newest run of every cell below `root`, by the cell's name, and every run that a claim binds."""
    folders = {f"{folder.parent.name}/{folder.name}": folder for folder in find_runs(root)}
    newest = {folder.parent.name: name for name, folder in folders.items()}
    bound = {run for locked in ClaimLedger(root).locked() for run in locked.first_runs.values()}
    return tuple(load_run(folders[name]) for name in sorted({*newest.values(), *(bound & folders.keys())}))


def decided(comparison: Comparison, root: Path) -> Comparison:
    """Return a comparison with what its two runs decide of the claims that are locked below `root`."""
    locks = ClaimLedger(root).locked()
    cells = (comparison.a.cell, comparison.b.cell)
    if not any((one.claim.comparator, one.claim.treatment) == cells for one in locks):
        return comparison
    return with_decisions(comparison, decisions(locks, latest_runs(root)))


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
