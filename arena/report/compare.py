"""Two runs, task by task: what differs between them, by how much, and what that says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import stats
from arena.errors import UsageError
from arena.records.run import RunRecord, RunStatus
from arena.report.attribution import Attribution, attribute
from arena.report.caveats import caveats, difference_bracket, missingness
from arena.report.comparison_form import comparison_drawn, comparison_json, comparison_markdown
from arena.report.interpret import (
    Interpretation,
    Missing,
    Noise,
    Reason,
    Reportable,
    interpret,
    measured_noise,
    reportability,
)
from arena.report.json_form import Json
from arena.report.outcomes import PanelOutcomes, panel_outcomes
from arena.report.panel import PanelResult, panel_result
from stats import Interval, Paired

if TYPE_CHECKING:
    from rich.console import RenderableType

    from arena.report.claims import Decision

ALPHA = 0.05

Pair = tuple[PanelOutcomes, PanelOutcomes]


@dataclass(frozen=True)
class Rules:
    """What was fixed before looking."""

    alpha: float = ALPHA
    margin: float | None = None
    """Differences up to this one are declared to be none; without it nothing is called equivalent."""
    allow_different_tasks: bool = False


@dataclass(frozen=True)
class Arm:
    """One side of a comparison."""

    run: str
    cell: str
    plan_digest: str
    status: RunStatus


@dataclass(frozen=True)
class PanelComparison:
    """One suite of two runs: B less A on the tasks that both scored."""

    suite: str
    attribution: Attribution
    paired_tasks: int
    task_ids: tuple[str, ...]
    """The paired tasks, sorted."""
    difference: float | None
    ci95: Interval | None
    """Percentile bootstrap over tasks, its exact law; it describes, the exact test decides."""
    interval_degenerate: bool
    improved: int
    regressed: int
    unchanged: int
    interpretation: Interpretation
    preregistered_decision: str
    """The words of the claims on these two runs; `none` where there is none."""
    reportable: Reportable
    reasons: tuple[Reason, ...]
    p_exact: float | None
    """Exact sign-flip, which is exact McNemar at one run a task."""
    p_midp: float | None
    p_smallest: float | None
    score_interval: Interval | None
    """Tango's, at one run a task or where no task moved."""
    mde80: float | None
    """Difference that the exact test finds with a chance of 80% where the arms disagree as often as they do here."""
    noise: Noise
    bracket: Interval
    """The difference, whatever the unscored episodes would have shown."""
    missing: Missing
    runs: tuple[float | None, float | None]
    """Scored runs a paired task in A and in B, harmonic means."""
    improved_ids: tuple[str, ...]
    regressed_ids: tuple[str, ...]
    only_in_a: tuple[str, ...]
    """Tasks that B's panel does not have; left out."""
    only_in_b: tuple[str, ...]
    arms: tuple[PanelResult, PanelResult]
    """Both panels, on the compared tasks."""
    claims: "tuple[Decision, ...]" = ()
    """What these two runs decide of the claims that were locked."""


@dataclass(frozen=True)
class Comparison:
    a: Arm
    b: Arm
    treatment: str | None
    rules: Rules
    panels: tuple[PanelComparison, ...]
    not_compared: Mapping[str, str]
    """Suites of one run only, and which."""

    def as_json(self) -> Json:
        """Return the comparison in the pilot's form, extended."""
        return comparison_json(self)

    def to_markdown(self) -> str:
        return comparison_markdown(self)

    def drawn(self) -> "RenderableType":
        return comparison_drawn(self)


def compare(
    a: RunRecord,
    b: RunRecord,
    treatment: str | None,
    rules: Rules = Rules(),
) -> Comparison:
    """Compare run `b` with its reference `a`.

    Raises
    ------
    UsageError
        The runs share no suite, or a shared suite has different tasks (unless allowed: then the tasks of both) or
        different definitions of the score.
    """
    of_a, of_b = _panels(a), _panels(b)
    shared = [suite for suite in of_a if suite in of_b]
    if not shared:
        said = [", ".join(panels) or "none" for panels in (of_a, of_b)]
        raise UsageError(f"{a.id} and {b.id} share no suite: {said[0]} against {said[1]}; compare runs of one suite")
    return Comparison(
        a=_arm(a),
        b=_arm(b),
        treatment=treatment,
        rules=rules,
        panels=tuple(
            _compare((of_a[suite], of_b[suite]), attribute(a, b, suite, treatment), rules) for suite in shared
        ),
        not_compared={suite: "a" if suite in of_a else "b" for suite in (*of_a, *of_b) if suite not in shared},
    )


def _arm(run: RunRecord) -> Arm:
    return Arm(run.id, run.cell, run.plan_digest, run.status)


def _panels(run: RunRecord) -> dict[str, PanelOutcomes]:
    return {panel.suite: panel_outcomes(run, panel) for panel in run.panels}


def _compare(pair: Pair, attribution: Attribution, rules: Rules) -> PanelComparison:
    only_a, only_b = _check(pair, rules.allow_different_tasks)
    tasks = sorted(set(pair[0].panel.task_ids) & set(pair[1].panel.task_ids))
    arms = (pair[0].restricted(tasks), pair[1].restricted(tasks))
    results = (panel_result(arms[0]), panel_result(arms[1]))
    paired = stats.paired(arms[0].matrix, arms[1].matrix)
    effect = paired.effect
    runs = (paired.runs_first, paired.runs_second)
    noise = measured_noise(results[0].discordance, results[1].discordance, len(effect.paired), runs)
    moved = _moved(arms, paired, tasks)
    return PanelComparison(
        suite=arms[0].panel.suite,
        attribution=attribution,
        paired_tasks=len(effect.paired),
        task_ids=tuple(tasks[index] for index in effect.paired),
        difference=effect.difference,
        ci95=effect.interval,
        interval_degenerate=effect.degenerate,
        improved=effect.improved,
        regressed=effect.regressed,
        unchanged=effect.unchanged,
        interpretation=interpret(effect, noise, rules.alpha, rules.margin),
        preregistered_decision="none",
        reportable=reportability(results, effect, rules.alpha),
        reasons=(*_different_tasks(only_a, only_b, len(tasks)), *caveats(arms, results, effect, noise, rules.alpha)),
        p_exact=effect.p_exact,
        p_midp=effect.p_midp,
        p_smallest=effect.p_smallest,
        score_interval=paired.score_interval,
        mde80=_detectable(arms, paired, noise, rules.alpha),
        noise=noise,
        bracket=difference_bracket(results),
        missing=missingness(arms),
        runs=runs,
        improved_ids=moved[0],
        regressed_ids=moved[1],
        only_in_a=only_a,
        only_in_b=only_b,
        arms=results,
    )


def _check(pair: Pair, allowed: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tasks that only one panel has; refuse what cannot be compared."""
    a, b = pair[0].panel, pair[1].panel
    if a.score_definition != b.score_definition:
        raise UsageError(
            f"{a.suite}: scores of different definitions, {a.score_definition!r} and {b.score_definition!r}, "
            "cannot be compared; grade both runs alike"
        )
    only_a, only_b = sorted(set(a.task_ids) - set(b.task_ids)), sorted(set(b.task_ids) - set(a.task_ids))
    if len(only_a) == len(a.task_ids):
        raise UsageError(f"{a.suite}: samples {a.sample} and {b.sample} share no task; compare runs of one sample")
    if (only_a or only_b) and not allowed:
        raise UsageError(
            f"{a.suite}: the task sets differ: {len(a.task_ids)} tasks ({a.sample}) and {len(b.task_ids)} "
            f"({b.sample}), {len(only_a)} only in the first and {len(only_b)} only in the second; "
            "--allow-different-tasks compares the tasks of both, and nothing else of them"
        )
    return tuple(only_a), tuple(only_b)


def _different_tasks(only_a: tuple[str, ...], only_b: tuple[str, ...], common: int) -> tuple[Reason, ...]:
    if not only_a and not only_b:
        return ()
    text = f"the task sets differ: {common} tasks are compared, {len(only_a)} of A and {len(only_b)} of B are left out"
    return (
        Reason("different_task_sets", text, {"common": common, "only_in_a": len(only_a), "only_in_b": len(only_b)}),
    )


def _moved(arms: Pair, paired: Paired, tasks: list[str]) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the tasks that improved and of those that regressed."""
    ids = [tasks[index] for index in paired.effect.paired]
    first, second = _paired_rates(arms, paired)
    better = tuple(task for task, a, b in zip(ids, first, second, strict=True) if b > a)
    worse = tuple(task for task, a, b in zip(ids, first, second, strict=True) if b < a)
    return better, worse


def _detectable(arms: Pair, paired: Paired, noise: Noise, alpha: float) -> float | None:
    rates = _paired_rates(arms, paired)
    discordant = float(np.mean(rates[0] * (1 - rates[1]) + rates[1] * (1 - rates[0]))) if rates.size else 0.0
    if not discordant or paired.runs_first is None or paired.runs_second is None:
        return None
    runs = 2 / (1 / paired.runs_first + 1 / paired.runs_second)
    if runs > 1 and noise.within is None:
        return None
    between_runs = None if noise.within is None else 2 * noise.within
    return stats.mde(rates.shape[1], discordant, noise=between_runs, runs=runs, alpha=alpha)


def _paired_rates(arms: Pair, paired: Paired) -> NDArray[np.float64]:
    """Return each arm's rate on each paired task, shape (2, tasks)."""
    index = list(paired.effect.paired)
    return np.array([np.nanmean(arm.matrix[index], axis=1) for arm in arms]) if index else np.empty((2, 0))
