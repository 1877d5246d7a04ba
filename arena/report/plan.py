"""Before spending: the replicates or tasks that an effect needs, what they cost, and which run teaches most.

All from recorded runs. What they cannot say (the noise of a cell without replicates, how often a cell that was never
run will differ) is assumed on the careful side and marked so.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

import stats
from arena.errors import UsageError
from arena.records.run import RunRecord
from arena.report.costs import NO_COST, Cost, recorded_cost
from arena.report.discordance import Discordance, discordance
from arena.report.json_form import Json, json_form
from arena.report.outcomes import PanelOutcomes, panel_outcomes
from arena.report.plan_form import plan_drawn, plan_markdown
from stats.interval import normal_quantile

if TYPE_CHECKING:
    from rich.console import RenderableType

Source = Literal["measured", "assumed"]

MOST_REPLICATES = 64
POPULATION = "the difference over tasks of this kind: a task counts once, and replicates only take noise away"
THESE_TASKS = "the difference on exactly these tasks: every run is evidence"


@dataclass(frozen=True)
class NextRun:
    """One more replicate of one cell's panel, and what it is worth."""

    cell: str
    suite: str
    why: str
    power_now: float
    power_then: float
    cost: Cost

    @property
    def worth(self) -> float:
        """Power gained for an hour of work, or for an episode where no hours are recorded."""
        spent = self.cost.working_h or self.cost.episodes or 1
        return (self.power_then - self.power_now) / spent


@dataclass(frozen=True)
class PanelPlan:
    """What an effect needs on one suite, for one cell against the reference."""

    suite: str
    a: str
    """The reference run."""
    b: str | None
    """None: a cell that has not been run; it is taken to be as noisy and as costly as the reference."""
    tasks: int
    runs: tuple[float, float]
    """Scored replicates of either arm."""
    discordant: float
    """Share of tasks on which single runs of the two differ."""
    discordant_source: Source
    noise: tuple[float, float]
    """Variance of one run of one task, of either arm."""
    noise_source: tuple[Source, Source]
    power_now: float
    """Chance that the exact test finds the effect with the runs that are there."""
    detectable_now: float | None
    replicates_needed: int | None
    """Of either arm, on these tasks; None where no number does, since tasks differ."""
    tasks_needed: int | None
    """With the replicates that are there."""
    replicates_these_tasks: int | None
    """Of either arm, were these tasks all that one asks about."""
    cost: Cost | None
    """Expected, of the replicates that are missing; None where no number does."""
    next_runs: tuple[NextRun, ...]


@dataclass(frozen=True)
class Plan:
    """What the cells need to show an effect."""

    effect: float
    alpha: float
    power: float
    estimand: str
    panels: tuple[PanelPlan, ...]

    @property
    def next_runs(self) -> tuple[NextRun, ...]:
        """The most informative next runs: most power for the work first; what measures a noise floor before all."""
        found = {(one.cell, one.suite): one for panel in self.panels for one in panel.next_runs}
        return tuple(sorted(found.values(), key=lambda one: (one.why != "measures its noise", -one.worth)))

    def as_json(self) -> Json:
        return json_form(self) | {"next_runs": json_form(self.next_runs)}

    def to_markdown(self) -> str:
        return plan_markdown(self)

    def drawn(self) -> "RenderableType":
        return plan_drawn(self)


@dataclass(frozen=True)
class _Arm:
    run: RunRecord
    outcomes: PanelOutcomes
    noise: float
    source: Source
    runs: float

    @property
    def cost(self) -> Cost:
        return recorded_cost(self.run, self.outcomes.panel)


def plan(runs: Sequence[RunRecord], effect: float, *, alpha: float = 0.05, power: float = 0.8) -> Plan:
    """Say what it takes to find `effect` between the first run and each of the others.

    Parameters
    ----------
    runs
        The reference, then what is compared with it; the reference alone plans for a cell that was never run.
    effect
        Least difference that should be found, a share of the tasks.
    alpha, power
        Level of the exact test, and the chance with which it should find the effect.

    Raises
    ------
    UsageError
        The effect is no share, or nothing was scored from which to plan.
    """
    if not 0 < effect < 1:
        raise UsageError(f"an effect is a share of the tasks above 0 and below 1, got {effect}; 0.05 is five points")
    others: Sequence[RunRecord | None] = runs[1:] or [None]
    asked = _Asked(effect, alpha, power)
    panels = [found for other in others for found in _panels(runs[0], other, asked)]
    if not panels:
        raise UsageError(f"{runs[0].id}: no suite with a scored episode in both; run a replicate first")
    return Plan(effect, alpha, power, f"{POPULATION}; beside it, {THESE_TASKS}", tuple(panels))


@dataclass(frozen=True)
class _Asked:
    effect: float
    alpha: float
    power: float

    def found(self, tasks: int, discordant: float) -> float:
        """Return the chance that the exact test finds the effect."""
        share = min(max(discordant, self.effect), 1 - 1e-9)
        return stats.power(self.effect, tasks, share, self.alpha)


def _panels(a: RunRecord, b: RunRecord | None, asked: _Asked) -> list[PanelPlan]:
    of_a = {panel.suite: panel_outcomes(a, panel) for panel in a.panels}
    of_b = of_a if b is None else {panel.suite: panel_outcomes(b, panel) for panel in b.panels}
    found = []
    for suite in [name for name in of_a if name in of_b]:
        one, other = of_a[suite], of_b[suite]
        tasks = sorted(set(one.panel.task_ids) & set(other.panel.task_ids))
        first, second = _arm(a, one.restricted(tasks)), _arm(b or a, other.restricted(tasks))
        if first is not None and second is not None:
            found.append(_panel(first, second, b is None, asked))
    return found


def _arm(run: RunRecord, outcomes: PanelOutcomes) -> _Arm | None:
    scored = np.isfinite(outcomes.matrix).sum(axis=1)
    if not scored.any():
        return None
    noise, source = _noise(discordance(outcomes))
    return _Arm(run, outcomes, noise, source, scored[scored > 0].size / float((1 / scored[scored > 0]).sum()))


def _noise(found: Discordance) -> tuple[float, Source]:
    if found.within is not None:
        return found.within, "measured"
    # The less noise there is, the less replicates help: the lower end asks for more of them.
    return (found.assumed.lo if found.assumed else 0.0), "assumed"


def _panel(a: _Arm, b: _Arm, unknown: bool, asked: _Asked) -> PanelPlan:
    tasks, single = _discordant(a, b, unknown, asked.effect)
    runs = (a.runs, 0.0 if unknown else b.runs)
    # A cell that was never run is planned for as if it had as many replicates as its reference.
    now = asked.found(tasks, _at(single, a, b, a.runs, b.runs))
    needed = next(
        (m for m in range(1, MOST_REPLICATES + 1) if asked.found(tasks, _at(single, a, b, m, m)) >= asked.power), None
    )
    share = _at(single, a, b, a.runs, b.runs)
    return PanelPlan(
        suite=a.outcomes.panel.suite,
        a=a.run.id,
        b=None if unknown else b.run.id,
        tasks=tasks,
        runs=runs,
        discordant=single,
        discordant_source="assumed" if unknown else "measured",
        noise=(a.noise, b.noise),
        noise_source=(a.source, "assumed" if unknown else b.source),
        power_now=now,
        detectable_now=stats.mde(tasks, share, power=asked.power, alpha=asked.alpha) if share else None,
        replicates_needed=needed,
        tasks_needed=stats.tasks_needed(asked.effect, max(share, asked.effect), power=asked.power, alpha=asked.alpha),
        replicates_these_tasks=_on_these_tasks(a.noise + b.noise, tasks, asked),
        cost=None if needed is None else _missing_cost(a, b, unknown, needed),
        next_runs=tuple(_next(a, b, unknown, asked, (tasks, single, now))),
    )


def _discordant(a: _Arm, b: _Arm, unknown: bool, effect: float) -> tuple[int, float]:
    """Return the paired tasks, and the share of them on which single runs differ."""
    rates = [np.nanmean(arm.outcomes.matrix[_scored(a, b)], axis=1) for arm in (a, b)]
    tasks = rates[0].size
    if unknown:
        return tasks, min(2 * a.noise + effect, 1 - 1e-9)
    return tasks, float(np.mean(rates[0] * (1 - rates[1]) + rates[1] * (1 - rates[0])))


def _scored(a: _Arm, b: _Arm) -> NDArray[np.bool_]:
    one, other = (np.isfinite(arm.outcomes.matrix).any(axis=1) for arm in (a, b))
    found: NDArray[np.bool_] = np.logical_and(one, other)
    return found


def _at(single: float, a: _Arm, b: _Arm, runs_a: float, runs_b: float) -> float:
    """Return the mean square of a task's difference when the arms have so many runs."""
    return max(0.0, single - a.noise - b.noise) + a.noise / runs_a + b.noise / runs_b


def _on_these_tasks(noise: float, tasks: int, asked: _Asked) -> int | None:
    if not noise:
        return None
    z = normal_quantile(1 - asked.alpha) + normal_quantile(2 * asked.power - 1)
    return max(1, math.ceil(z**2 * noise / (tasks * asked.effect**2)))


def _missing_cost(a: _Arm, b: _Arm, unknown: bool, needed: int) -> Cost:
    total = NO_COST
    for arm, have in ((a, a.outcomes.panel.replicates), (b, 0 if unknown else b.outcomes.panel.replicates)):
        missing = max(0, needed - have) * len(arm.outcomes.panel.task_ids)
        total = total.plus(arm.cost.times(missing)) if missing else total
    return total


def _next(a: _Arm, b: _Arm, unknown: bool, asked: _Asked, now: tuple[int, float, float]) -> list[NextRun]:
    """Value one more replicate of each arm; one that adds no power and measures no noise is left out."""
    tasks, single, power_now = now
    found = []
    arms = [(a, a.runs + 1, b.runs)] + ([] if unknown else [(b, a.runs, b.runs + 1)])
    for index, (arm, runs_a, runs_b) in enumerate(arms):
        then = asked.found(tasks, _at(single, a, b, runs_a, runs_b))
        why = "measures its noise" if arm.source == "assumed" else f"one more replicate of {'ab'[index]}"
        cost = arm.cost.times(len(arm.outcomes.panel.task_ids))
        if arm.source == "assumed" or then > power_now:
            found.append(NextRun(arm.run.cell, arm.outcomes.panel.suite, why, power_now, then, cost))
    return found
