"""The rollup as Markdown and for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from arena.report.discordance import Discordance
from arena.report.factorial import HEADER as EFFECTS
from arena.report.factorial import effect_line
from arena.report.panel import PanelResult
from arena.report.words import (
    NONE,
    calibrated,
    money,
    number,
    p_value,
    percent,
    percents,
    plain,
    points,
    seconds,
    table,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.report.compare import Comparison
    from arena.report.rollup import Rollup, Row

COLUMNS = (
    "rank",
    "rank 95%",
    "tier",
    "rate",
    "95% (n_eff)",
    "95% (pooled)",
    "passed/scored",
    "unscored",
    "bracket",
    "panel",
    "replicates",
    "disagree",
    "re-rolled",
    "tokens out",
    "working",
    "cost",
)
COMPARED = ("panel", "difference", "95%", "exact p", "moved", "interpretation", "attribution", "reportable")
SHORT = ("run", "rank", "tier", "rate", "95%", "passed", "unscored", "panel", "disagree", "cost")
SHORT_COMPARED = ("panel", "difference", "exact p", "says")
BESIDE = "Wilson n_eff is the interval to read. Rows of one tier cannot be told from its best one; a * may be the best."


def rollup_markdown(rollup: "Rollup") -> str:
    parts = ["# Rollup", *(f"**Alarm: {plain(alarm.text)}.**" for alarm in rollup.alarms), BESIDE]
    for rows in rollup.panels:
        parts += [f"## {plain(_title(rows[0].panel))}", _table(rollup, rows)]
    if rollup.comparisons:
        lines = [line for comparison in rollup.comparisons for line in compared(comparison)]
        header = ["B against A", *COMPARED]
        parts += ["## Comparisons", table(header, [[plain(cell) for cell in line] for line in lines])]
    if rollup.decisions.decisions:
        parts += ["## Claims", rollup.decisions.to_markdown().rstrip()]
    if rollup.factorials:
        parts += ["## Factorial tables", *(found.to_markdown() for found in rollup.factorials)]
    return "\n\n".join(parts) + "\n"


def rollup_drawn(rollup: "Rollup") -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    names = _short_names(rollup.rows)
    drawn: list[RenderableType] = [Text(f"ALARM: {alarm.text}", style="bold red") for alarm in rollup.alarms]
    for rows in rollup.panels:
        lines = [(names[row.run], *_short(rollup, row)) for row in rows]
        drawn += [Text(_title(rows[0].panel), style="bold"), _grid(SHORT, lines, whole=("run", "95%", "disagree"))]
        drawn.append(Text(""))
    if rollup.comparisons:
        lines = [line for comparison in rollup.comparisons for line in _short_compared(comparison, names)]
        drawn += [Text("Comparisons", style="bold"), _grid(("B against A", *SHORT_COMPARED), lines)]
    if rollup.decisions.decisions:
        drawn += [Text(""), Text("Claims", style="bold"), rollup.decisions.drawn()]
    for found in rollup.factorials:
        lines = [effect_line(effect) for effect in found.effects]
        title = f"{found.rows} by {found.columns} on {found.suite} {found.others}".rstrip()
        drawn += [Text(""), Text(title, style="bold"), _grid(EFFECTS, lines)]
    return Group(*drawn) if drawn else Text("no runs yet; `arena run cell CELL.yaml` makes one")


def _grid(columns: Sequence[str], lines: Sequence[Sequence[str]], whole: Sequence[str] = ()) -> "RenderableType":
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, header_style="dim")
    for column in columns:
        grid.add_column(column, overflow="fold", no_wrap=column in whole)
    for line in lines:
        grid.add_row(*(Text(text) for text in line))
    return grid


def compared(comparison: "Comparison") -> Iterator[tuple[str, ...]]:
    """Give a comparison's panels, one line each."""
    for panel in comparison.panels:
        yield (
            f"{comparison.b.run} against {comparison.a.run}",
            panel.suite,
            points(panel.difference),
            percents(panel.ci95),
            p_value(panel.p_exact),
            f"{panel.improved} up, {panel.regressed} down of {panel.paired_tasks}",
            panel.interpretation,
            panel.attribution.status,
            "yes" if panel.reportable.reportable else ", ".join(reason.code for reason in panel.reportable.reasons),
        )


def disagreement(found: Discordance) -> str:
    """Return how replicates disagree; identical ones are flagged and never a floor of 0."""
    if found.status == "measured":
        return f"{percent(found.rate)} ({found.forward} v {found.backward})"
    if found.status == "replicates_identical":
        return "identical: copies?" if found.copies_suspected else "identical: no floor"
    return NONE


def _title(panel: PanelResult) -> str:
    said = f"{panel.suite}, sample {panel.sample}: {panel.tasks} tasks, score {panel.score_definition}"
    return said if panel.calibration is None else f"{said}; {calibrated(panel.calibration)}"


def _table(rollup: "Rollup", rows: Sequence["Row"]) -> str:
    return table(["run", *COLUMNS], [[plain(row.run), *_figures(rollup, row)] for row in rows])


def _figures(rollup: "Rollup", row: "Row") -> list[str]:
    panel, usage, standing = row.panel, row.panel.usage, rollup.standing(row)
    state = panel.completeness if row.status == "complete" else f"{panel.completeness}, run {row.status}"
    return [
        NONE if row.rank is None else str(row.rank),
        NONE if standing is None else f"{standing.rank_lo} to {standing.rank_hi}",
        NONE if standing is None else f"{standing.tier}{'*' if standing.may_be_best else ''}",
        percent(panel.rate),
        percents(panel.wilson_neff),
        percents(panel.wilson_pooled),
        f"{number(panel.passed)}/{number(panel.scored)}",
        number(panel.unscored),
        percents(panel.bracket),
        state,
        str(panel.replicates),
        disagreement(panel.discordance),
        percent(panel.attempts.share),
        number(usage.tokens_out),
        seconds(usage.working_s),
        money(usage.cost),
    ]


def _short(rollup: "Rollup", row: "Row") -> tuple[str, ...]:
    figures = dict(zip(COLUMNS, _figures(rollup, row), strict=True))
    kept = ("rank", "tier", "rate", "95% (n_eff)", "passed/scored", "unscored", "panel", "disagree", "cost")
    return tuple(figures[name] for name in kept)


def _short_compared(comparison: "Comparison", names: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    a, b = (names.get(arm.run, arm.run) for arm in (comparison.a, comparison.b))
    for panel in comparison.panels:
        reportable = "" if panel.reportable.reportable else ", not reportable"
        says = f"{panel.interpretation.replace('_', ' ')}, {panel.attribution.status}{reportable}"
        yield f"{b} against {a}", panel.suite, points(panel.difference), p_value(panel.p_exact), says


def _short_names(rows: Sequence["Row"]) -> Mapping[str, str]:
    """Return the cell's name for each run that is the only one of its cell, else the run's own."""
    runs = {row.run: row.cell for row in rows}
    cells = list(runs.values())
    return {run: cell if cells.count(cell) == 1 else run for run, cell in runs.items()}
