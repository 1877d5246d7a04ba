"""A plan as Markdown and for a terminal."""

from typing import TYPE_CHECKING

from arena.report.costs import Cost
from arena.report.words import NONE, margin, money, number, percent, plain, table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.report.plan import NextRun, PanelPlan, Plan

HEADER = (
    "suite",
    "against",
    "power now",
    "detectable now",
    "replicates needed",
    "or tasks",
    "on these tasks alone",
    "cost of what is missing",
)
NEXT = ("next run", "suite", "why", "power", "cost")


def plan_markdown(plan: "Plan") -> str:
    parts = [f"# Plan\n\n{_head(plan)}", table(HEADER, [[plain(text) for text in _line(one)] for one in plan.panels])]
    if plan.next_runs:
        parts.append(table(NEXT, [[plain(text) for text in _next(one)] for one in plan.next_runs]))
    return "\n\n".join(parts) + "\n"


def plan_drawn(plan: "Plan") -> "RenderableType":
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    needs = Table(*HEADER, box=None, header_style="dim")
    for panel in plan.panels:
        needs.add_row(*(Text(text) for text in _line(panel)))
    following = Table(*NEXT, box=None, header_style="dim")
    for one in plan.next_runs:
        following.add_row(*(Text(text) for text in _next(one)))
    rest = following if plan.next_runs else Text("No single further replicate adds power.")
    return Group(Text(_head(plan)), needs, Text(""), rest)


def _head(plan: "Plan") -> str:
    return (
        f"To find a difference of {100 * plan.effect:g} points with a chance of {plan.power:.0%} at level "
        f"{plan.alpha:g}. Estimand: {plan.estimand}."
    )


def _line(one: "PanelPlan") -> tuple[str, ...]:
    assumed = " (noise assumed)" if "assumed" in one.noise_source else ""
    return (
        one.suite,
        f"{one.b or 'a cell not run yet'} against {one.a}",
        percent(one.power_now),
        margin(one.detectable_now),
        f"{one.replicates_needed if one.replicates_needed is not None else 'no number does'}{assumed}",
        number(one.tasks_needed),
        number(one.replicates_these_tasks),
        NONE if one.cost is None else _cost(one.cost),
    )


def _next(one: "NextRun") -> tuple[str, ...]:
    return one.cell, one.suite, one.why, f"{percent(one.power_now)} to {percent(one.power_then)}", _cost(one.cost)


def _cost(cost: Cost) -> str:
    if not cost.episodes:
        return "nothing is missing"
    hours = f"{number(cost.gpu_h)} GPU-hours, {number(cost.working_h)} working hours"
    return f"{cost.episodes:,} episodes, {hours}, {money(cost.money)}"
