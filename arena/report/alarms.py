"""An alarm where training has made a system worse than its own base in the same harness.

The seed's submission was: its weights gained 8.8 points under one harness and lost 6.8 under the one it was submitted
with. A mean over both would have hidden it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.records.run import RunRecord
from arena.report.compare import PanelComparison, compare
from arena.spec.factors import differing, for_suite, under

TRAINING = ("budget", "goal", "model", "recipe")
"""Sections that may differ between a system and its own base; everything else must be the same."""
BASE = ("model.base", "model.revision")
"""What names a base."""
SOURCE = "model.from.cell"
"""What names the cell whose checkpoint a run was made of."""


@dataclass(frozen=True)
class Alarm:
    """A trained run that is worse than its own base."""

    run: str
    base: str
    suite: str
    difference: float | None
    p_exact: float | None
    text: str


def alarms(runs: Sequence[RunRecord]) -> tuple[Alarm, ...]:
    """Hold every trained run against each untrained one of the same base and harness."""
    bases = {run.id: _base_of(run, {other.cell: other for other in runs}) for run in runs}
    return tuple(
        alarm
        for trained in runs
        if _is_trained(trained) and bases[trained.id]
        for base in runs
        if not _is_trained(base) and bases[base.id] == bases[trained.id]
        for alarm in _alarms(base, trained)
    )


def _base_of(run: RunRecord, by_cell: Mapping[str, RunRecord], depth: int = 8) -> dict[str, object]:
    """Return what names a run's base, through the cells of which its checkpoint was made; empty if nothing says it."""
    facts = {factor.path: factor.value for factor in run.factors}
    source = by_cell.get(str(facts[SOURCE])) if SOURCE in facts else None
    if source is not None and depth:
        return _base_of(source, by_cell, depth - 1)
    return {path: facts[path] for path in BASE if path in facts}


def _is_trained(run: RunRecord) -> bool:
    stage = run.stages.get("train")
    made = stage is not None and stage.record.get("label") == "trained"
    return made or any(factor.path == SOURCE for factor in run.factors)


def _alarms(base: RunRecord, trained: RunRecord) -> Iterator[Alarm]:
    shared = [p.suite for p in base.panels if _comparable(base, trained, p.suite)]
    if not shared:
        return
    for panel in compare(base, trained, None).panels:
        if panel.suite in shared and panel.interpretation == "regressed":
            yield _alarm(base, trained, panel)


def _alarm(base: RunRecord, trained: RunRecord, panel: PanelComparison) -> Alarm:
    points = 100 * (panel.difference or 0.0)
    text = (
        f"{trained.id} is {-points:.1f} points worse than its own base {base.id} on {panel.suite} in the same harness "
        f"(exact p {panel.p_exact:.4g})"
    )
    return Alarm(trained.id, base.id, panel.suite, panel.difference, panel.p_exact, text)


def _comparable(base: RunRecord, trained: RunRecord, suite: str) -> bool:
    """Tell whether two runs share the suite's tasks and all that is not training."""
    panels = [next((panel for panel in run.panels if panel.suite == suite), None) for run in (base, trained)]
    if panels[0] is None or panels[1] is None or set(panels[0].task_ids) != set(panels[1].task_ids):
        return False
    if panels[0].score_definition != panels[1].score_definition or not base.factors or not trained.factors:
        return False
    differences = differing(for_suite(base.factors, suite), for_suite(trained.factors, suite)).design
    paths = [one.path for one in differences if not one.path.endswith(".replicates")]
    return all(any(under(path, head) for head in TRAINING) for path in paths)
