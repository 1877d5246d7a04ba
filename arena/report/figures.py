"""Figures as Vega-Lite specifications, made with altair and drawn without a browser.

Every function returns a specification with its data inside; `svg` and `png` draw it. Values are rounded to what an eye
can tell apart, so that the same records give the same specification on another machine.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import stats
from arena.errors import ArenaError
from arena.report.compare import Comparison, PanelComparison
from arena.report.plan import PanelPlan
from arena.report.rollup import Row
from arena.report.standings import Standings

if TYPE_CHECKING:
    import altair as alt

Spec = dict[str, Any]
"""A Vega-Lite specification as JSON."""

WIDTH = 480
ROW = 22
INK, ACCENT, PALE, BAND, BAD = "#1d1c1a", "#2f6690", "#c9d8e4", "#efe7d2", "#a63a2a"
SHADES = ("#c9d8e4", "#9fbcd3", "#6f9bbd", "#2f6690", "#17334a")
POINTS = "difference, percentage points"


@dataclass(frozen=True)
class Figure:
    """A drawing and what it shows, in a sentence that can stand for it."""

    name: str
    caption: str
    spec: Spec


def forest(comparisons: Iterable[Comparison]) -> Figure:
    """Draw every comparison's difference with its 95% interval and the band of the measured noise."""
    import altair as alt

    values = [_forest_row(comparison, panel) for comparison in comparisons for panel in comparison.panels]
    values = [value for value in values if value["difference"] is not None]
    order = [value["comparison"] for value in values]
    base = alt.Chart(_data(values), width=WIDTH, height=alt.Step(ROW))
    y = alt.Y("comparison:N", sort=order, title=None, axis=alt.Axis(labelLimit=360))
    band = base.mark_bar(color=BAND, height=ROW - 2).encode(y=y, x=alt.X("noise_lo:Q", title=POINTS), x2="noise_hi:Q")
    interval = base.mark_rule(color=ACCENT, strokeWidth=3).encode(y=y, x="lo:Q", x2="hi:Q")
    point = base.mark_point(filled=True, size=60, color=INK, opacity=1).encode(
        y=y, x="difference:Q", shape=alt.Shape("decides:N", title="exact test", scale=_shapes())
    )
    zero = alt.Chart(_data([{"at": 0}])).mark_rule(color=INK, strokeDash=[3, 3]).encode(x="at:Q")
    caption = "Differences, B less A: point, 95% interval, and the band within which measured noise alone moves them."
    return Figure("forest", caption, _finished(band + zero + interval + point))


def paired_outcomes(panel: PanelComparison, grid: Mapping[tuple[str, str], int]) -> Figure:
    """Draw how many tasks had which rate in A and in B; `grid` counts tasks by both rates, each as `k/n`."""
    import altair as alt

    values = [{"a": a, "b": b, "tasks": count, "moved": _direction(a, b)} for (a, b), count in grid.items() if count]
    size = 44
    base = alt.Chart(_data(values), width=alt.Step(size), height=alt.Step(size)).encode(
        x=alt.X("b:N", sort=_rates(grid, 1), title="rate in B", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("a:N", sort=_rates(grid, 0), title="rate in A"),
    )
    colours = alt.Scale(domain=["better", "same", "worse"], range=[ACCENT, PALE, BAD])
    cells = base.mark_rect(opacity=0.55).encode(color=alt.Color("moved:N", scale=colours, title="B is"))
    caption = f"{panel.suite}: tasks by their rate in A and in B; off the diagonal they moved."
    return Figure("paired-outcomes", caption, _finished(cells + base.mark_text(color=INK).encode(text="tasks:Q")))


def replicate_discordance(rows: Sequence[Row]) -> Figure:
    """Draw how often replicates of one system disagree, with the interval; identical ones measure nothing."""
    import altair as alt

    found = [(row, row.panel.discordance) for row in rows if row.panel.discordance.status == "measured"]
    values = [
        {
            "run": row.run,
            "rate": _percent(one.rate),
            "lo": _percent(one.interval.lo if one.interval else None),
            "hi": _percent(one.interval.hi if one.interval else None),
            "replicates": "copies?" if one.copies_suspected else "measured",
        }
        for row, one in found
    ]
    base = alt.Chart(_data(values), width=WIDTH, height=alt.Step(ROW))
    y = alt.Y("run:N", sort=[row.run for row, _ in found], title=None, axis=alt.Axis(labelLimit=360))
    x = alt.X("lo:Q", title="pairs of replicates that disagree, %", scale=alt.Scale(zero=True))
    rule = base.mark_rule(color=ACCENT, strokeWidth=3).encode(y=y, x=x, x2="hi:Q")
    colours = alt.Scale(domain=["measured", "copies?"], range=[INK, BAD])
    point = base.mark_point(filled=True, size=60, opacity=1).encode(
        y=y, x="rate:Q", color=alt.Color("replicates:N", scale=colours)
    )
    return Figure("discordance", "How often two runs of one system disagree on a task.", _finished(rule + point))


def power_curve(panel: PanelPlan, alpha: float = 0.05, replicates: Sequence[int] = (1, 2, 3, 5)) -> Figure:
    """Draw the exact test's power over the effect, one line for a number of replicates."""
    import altair as alt

    within = sum(panel.noise)
    values = []
    for runs in replicates:
        share = max(0.0, panel.discordant - within) + within / runs
        for effect in np.linspace(0.002, min(0.99, max(3 * panel.discordant**0.5 / panel.tasks**0.5, 0.02)), 40):
            at = min(max(share, effect), 1 - 1e-9)
            found = stats.power(float(effect), panel.tasks, at, alpha)
            values.append({"effect": _percent(float(effect)), "power": round(found, 4), "replicates": str(runs)})
    base = alt.Chart(_data(values), width=WIDTH, height=240)
    shades = alt.Scale(domain=[str(runs) for runs in replicates], range=SHADES[-len(replicates) :])
    lines = base.mark_line(strokeWidth=2).encode(
        x=alt.X("effect:Q", title=POINTS),
        y=alt.Y("power:Q", title="power", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("replicates:O", title="replicates", scale=shades),
    )
    goal = alt.Chart(_data([{"at": 0.8}])).mark_rule(color=INK, strokeDash=[3, 3]).encode(y="at:Q")
    caption = f"{panel.suite}: chance that the exact test finds an effect in {panel.tasks} tasks."
    return Figure("power", caption, _finished(lines + goal))


def rank_intervals(found: Standings) -> Figure:
    """Draw each run's rank with its 95% interval, coloured by tier."""
    import altair as alt

    ordered = sorted(found.runs, key=lambda one: (one.rank, one.run))
    values = [
        {"run": one.run, "rank": one.rank, "lo": one.rank_lo, "hi": one.rank_hi, "tier": str(one.tier)}
        for one in ordered
    ]
    base = alt.Chart(_data(values), width=WIDTH, height=alt.Step(ROW))
    y = alt.Y("run:N", sort=[one.run for one in ordered], title=None, axis=alt.Axis(labelLimit=360))
    colour = alt.Color("tier:O", title="tier")
    x = alt.X("lo:Q", title="rank", scale=alt.Scale(zero=False, nice=False, padding=12), axis=alt.Axis(tickMinStep=1))
    rule = base.mark_rule(strokeWidth=3).encode(y=y, x=x, x2="hi:Q", color=colour)
    point = base.mark_point(filled=True, size=60, opacity=1).encode(y=y, x="rank:Q", color=colour)
    caption = f"{found.suite}: ranks with 95% intervals; runs of one tier cannot be told from its best one."
    return Figure("ranks", caption, _finished(rule + point))


def svg(figure: Figure) -> str:
    """Draw a figure as SVG."""
    return str(_converter().vegalite_to_svg(figure.spec))


def png(figure: Figure, scale: float = 2.0) -> bytes:
    """Draw a figure as PNG; `scale` is in pixels for a point."""
    return bytes(_converter().vegalite_to_png(figure.spec, scale=scale))


def can_draw() -> bool:
    """Whether figures can be drawn here."""
    try:
        _converter()
    except ArenaError:
        return False
    return True


def _converter() -> Any:
    try:
        import vl_convert
    except ModuleNotFoundError:
        raise ArenaError("figures need vl-convert-python; install the extra: arena-bench[report]") from None
    return vl_convert


def _data(values: Sequence[Mapping[str, object]]) -> "alt.InlineData":
    import altair as alt

    return alt.InlineData(values=[dict(value) for value in values])


def _finished(chart: "alt.LayerChart") -> Spec:
    spec: Spec = chart.configure(background="white", font="sans-serif").configure_view(strokeWidth=0).to_dict()
    return spec


def _shapes() -> "alt.Scale":
    import altair as alt

    return alt.Scale(domain=["rejects", "does not"], range=["circle", "diamond"])


def _forest_row(comparison: Comparison, panel: PanelComparison) -> dict[str, Any]:
    band = panel.noise.band
    ci = panel.ci95
    rejects = panel.p_exact is not None and panel.p_exact < comparison.rules.alpha
    return {
        "comparison": f"{comparison.b.run} against {comparison.a.run}, {panel.suite}",
        "difference": _percent(panel.difference),
        "lo": _percent(ci.lo if ci else None),
        "hi": _percent(ci.hi if ci else None),
        "noise_lo": _percent(None if band is None else -band),
        "noise_hi": _percent(band),
        "decides": "rejects" if rejects else "does not",
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 3) + 0.0


def _direction(a: str, b: str) -> str:
    one, other = _share(a), _share(b)
    return "same" if one == other else "better" if other > one else "worse"


def _share(text: str) -> float:
    passed, scored = text.split("/")
    return int(passed) / int(scored)


def _rates(grid: Mapping[tuple[str, str], int], side: int) -> list[str]:
    return sorted({pair[side] for pair in grid}, key=lambda text: (_share(text), text))
