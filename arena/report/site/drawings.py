"""The board's figures, drawn as SVG where this machine can draw; the lock holds them, the pages only place them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.records.run import RunRecord
from arena.report import figures
from arena.report.figures import Figure
from arena.report.rollup import Rollup
from arena.report.site.layout import FIGURES, figure_file
from arena.report.site.views import crosstab, panel_views


@dataclass(frozen=True)
class Drawing:
    """A figure on a page."""

    file: str
    """From the board's root."""
    caption: str


def draw(board: Rollup, runs: tuple[RunRecord, ...], out: Path) -> frozenset[str]:
    """Draw every figure of a board below `out`, and return their files; none where nothing can be drawn here."""
    if not figures.can_draw():
        return frozenset()
    for file, figure in _figures(board, runs):
        path = out / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(figures.svg(figure), encoding="utf-8")
    return drawn(out)


def drawn(board: Path) -> frozenset[str]:
    """Return the figures that a published board has."""
    return frozenset(path.relative_to(board).as_posix() for path in (board / FIGURES).glob("*.svg"))


def captions(board: Rollup, runs: tuple[RunRecord, ...], there: frozenset[str]) -> Mapping[str, Drawing]:
    """Return the figures that are there with their captions, by file."""
    if not there:
        return {}
    return {file: Drawing(file, figure.caption) for file, figure in _figures(board, runs) if file in there}


def _figures(board: Rollup, runs: tuple[RunRecord, ...]) -> Iterator[tuple[str, Figure]]:
    if any(panel.difference is not None for comparison in board.comparisons for panel in comparison.panels):
        yield figure_file("forest"), figures.forest(board.comparisons)
    if any(row.panel.discordance.status == "measured" for row in board.rows):
        yield figure_file("discordance"), figures.replicate_discordance(board.rows)
    for number, found in enumerate(board.standings, start=1):
        yield figure_file(f"ranks-{number:02}"), figures.rank_intervals(found)
    views = {(run.id, view.result.suite): view for run in runs for view in panel_views(run, frozenset())}
    for number, comparison in enumerate(board.comparisons, start=1):
        for panel in comparison.panels:
            pair = (views[comparison.a.run, panel.suite], views[comparison.b.run, panel.suite])
            if panel.paired_tasks:
                table = crosstab(*pair, panel)
                file = figure_file(f"paired-{number:02}-{panel.suite}")
                yield file, figures.paired_outcomes(panel, table.counts)
