"""The rollup as Markdown and for a terminal."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arena.report.panel import Discordance, PanelResult
from arena.report.words import NONE, money, number, p_value, percent, percents, plain, points, seconds, table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.report.compare import Comparison
    from arena.report.rollup import Rollup, Row

COLUMNS = (
    "rank",
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
SHORT = ("run", "rank", "rate", "95%", "passed", "unscored", "panel", "runs", "disagree", "cost")
BESIDE = "Wilson n_eff is the interval to read; ranks say nothing of whether two rows differ: compare them."


def rollup_markdown(rollup: "Rollup") -> str:
    parts = ["# Rollup", BESIDE]
    for rows in rollup.panels:
        parts += [f"## {plain(_title(rows[0].panel))}", _table(rows)]
    if rollup.comparisons:
        lines = [line for comparison in rollup.comparisons for line in compared(comparison)]
        header = ["B against A", *COMPARED]
        parts += ["## Comparisons", table(header, [[plain(cell) for cell in line] for line in lines])]
    return "\n\n".join(parts) + "\n"


def rollup_drawn(rollup: "Rollup") -> "RenderableType":
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    drawn: list[RenderableType] = []
    for rows in rollup.panels:
        grid = Table(
            *("run", "rank", "rate", "95%", "passed", "unscored", "panel", "runs", "disagree", "cost"), box=None
        )
        for row in rows:
            grid.add_row(*(Text(text) for text in _short(row)))
        drawn += [Text(_title(rows[0].panel), style="bold"), grid, Text("")]
    if rollup.comparisons:
        grid = Table("B", "A", "panel", "difference", "exact p", "says", "attribution", "reportable", box=None)
        for comparison in rollup.comparisons:
            for name, panel, difference, _, p, _, word, attribution, reportable in compared(comparison):
                shown = "yes" if reportable == "yes" else "no"
                texts = (*name.split(" against "), panel, difference, p, word, attribution, shown)
                grid.add_row(*(Text(text) for text in texts))
        drawn += [Text("Comparisons", style="bold"), grid]
    return Group(*drawn) if drawn else Text("no runs yet; `arena run cell CELL.yaml` makes one")


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
    return f"{panel.suite}, sample {panel.sample}: {panel.tasks} tasks, score {panel.score_definition}"


def _table(rows: Sequence["Row"]) -> str:
    return table(["run", *COLUMNS], [[plain(row.run), *_figures(row)] for row in rows])


def _figures(row: "Row") -> list[str]:
    panel, usage = row.panel, row.panel.usage
    state = panel.completeness if row.status == "complete" else f"{panel.completeness}, run {row.status}"
    return [
        NONE if row.rank is None else str(row.rank),
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


def _short(row: "Row") -> tuple[str, ...]:
    figures = dict(zip(COLUMNS, _figures(row), strict=True))
    kept = ("rank", "rate", "95% (n_eff)", "passed/scored", "unscored", "panel", "replicates", "disagree", "cost")
    return row.run, *(figures[name] for name in kept)
