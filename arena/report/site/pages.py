"""Every page of a board as text, from records alone: the same records give the same bytes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.records.run import RunRecord
from arena.report import words
from arena.report.compare import Comparison, PanelComparison
from arena.report.comparison_form import differing_factors
from arena.report.rollup import Rollup
from arena.report.site import views
from arena.report.site.data import AS_THEY_ARE
from arena.report.site.drawings import Drawing
from arena.report.site.layout import cell_page, comparison_page, data_folder, figure_file, to_root
from arena.report.site.views import PanelView, difference_scale, panel_views, rate_scale

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
WORDS = (
    words.axis,
    words.brief,
    words.calibrated,
    words.margin,
    words.moment,
    words.money,
    words.number,
    words.p_value,
    words.percent,
    words.percents,
    words.points,
    words.seconds,
)
"""How templates write figures."""

SURROUNDINGS = ("machine", "packages", "source")
RECORDS = ("run.json", "factors.json", "episodes.parquet", "episodes.csv")


@dataclass(frozen=True)
class Site:
    """What the pages are made from."""

    title: str
    board: Rollup
    runs: Sequence[RunRecord]
    logs: frozenset[str]
    """Logs that the board has, by their path below the viewer's folder."""
    figures: Mapping[str, Drawing] = field(default_factory=dict)
    """Figures that the board has, by file."""


def render(site: Site) -> dict[str, str]:
    """Return every page and stylesheet of a board, by its path."""
    shown = {run.id: {view.result.suite: view for view in panel_views(run, site.logs)} for run in site.runs}
    pages = _Pages(site, shown, _environment())
    found = dict(pages.all())
    found["assets/style.css"] = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    found["assets/filters.css"] = _filter_rules(view for panels in shown.values() for view in panels.values())
    return found


@dataclass(frozen=True)
class _Pages:
    site: Site
    shown: Mapping[str, Mapping[str, PanelView]]
    environment: "Environment"

    def all(self) -> Iterator[tuple[str, str]]:
        comparisons = self.site.board.comparisons
        paths = [comparison_page(comparison, number) for number, comparison in enumerate(comparisons, start=1)]
        yield self._page("index.html", "index.html", **self._index(paths))
        for run in self.site.runs:
            yield self._page(cell_page(run.id), "cell.html", **self._cell(run))
            for view in self.shown[run.id].values():
                yield self._page(view.page, "episodes.html", run=run, view=view, panel=view.result)
        for path, comparison in zip(paths, comparisons, strict=True):
            yield self._page(path, "comparison.html", **self._comparison(comparison, 1 + paths.index(path)))

    def _page(self, path: str, template: str, **context: Any) -> tuple[str, str]:
        shared = {"board_title": self.site.title, "root": to_root(path), "cell_page": cell_page}
        return path, self.environment.get_template(template).render(**shared, **context) + "\n"

    def _index(self, comparison_pages: Sequence[str]) -> dict[str, Any]:
        board = self.site.board
        return {
            "board": board,
            "runs": self.site.runs,
            "logs": self.site.logs,
            "views": self.shown,
            "rate_scales": [rate_scale(row.panel for row in rows) for rows in board.panels],
            "comparison_pages": comparison_pages,
            "difference_scale": difference_scale(board.comparisons),
            "figures": [one for file, one in self.site.figures.items() if "/paired-" not in file],
        }

    def _cell(self, run: RunRecord) -> dict[str, Any]:
        panels = list(self.shown[run.id].values())
        label = next((row.label for row in self.site.board.rows if row.run == run.id), "unrecorded")
        return {
            "run": run,
            "label": label,
            "panels": panels,
            "scales": [rate_scale([view.result]) for view in panels],
            "folder": data_folder(run),
            "files": [*(name for name in AS_THEY_ARE if (run.folder / name).is_file()), *RECORDS],
            "factors_by_role": {
                role: found
                for role in ("design", "nuisance", "consequence")
                if (found := [factor for factor in run.factors if factor.role == role])
            },
        }

    def _comparison(self, comparison: Comparison, number: int) -> dict[str, Any]:
        return {
            "comparison": comparison,
            "a": comparison.a,
            "b": comparison.b,
            "scale": difference_scale([comparison]),
            "parts_of": [self._compared(comparison, panel, number) for panel in comparison.panels],
        }

    def _compared(self, comparison: Comparison, panel: PanelComparison, number: int) -> dict[str, Any]:
        pair = (self.shown[comparison.a.run][panel.suite], self.shown[comparison.b.run][panel.suite])
        return {
            "panel": panel,
            "figure": self.site.figures.get(figure_file(f"paired-{number:02}-{panel.suite}")),
            "views": pair,
            "table": views.crosstab(*pair, panel),
            "rate_scale": rate_scale(panel.arms),
            "differences": list(differing_factors(panel.attribution)),
        }


def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {function.__name__: function for function in WORDS}
    environment.filters |= {"span": views.span, "place": views.place, "flat": _flat}
    return environment


def _flat(record: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Give a stage's record as paths and values, less what stands among the factors."""
    if isinstance(record, Mapping):
        for key, value in record.items():
            if path or key not in SURROUNDINGS:
                yield from _flat(value, f"{path}.{key}" if path else str(key))
    elif isinstance(record, list | tuple):
        yield path, "; ".join(_listed(item) for item in record) or "none"
    else:
        yield path, record


def _listed(item: object) -> str:
    return ", ".join(str(value) for value in item.values()) if isinstance(item, Mapping) else str(item)


def _filter_rules(panels: Iterable[PanelView]) -> str:
    """Return rules that show only the rows of the filter that the address names: no script is needed for it."""
    keys = {one.key for view in panels for filters in view.filters.values() for one in filters}
    rules = (
        f"#{key}:target ~ .scroll .row:not(.{key}) {{ display: none }}\n"
        f'#{key}:target ~ .filters a[href="#{key}"] {{ background: var(--ink); color: var(--paper) }}\n'
        for key in sorted(keys)
    )
    return "".join(rules)
