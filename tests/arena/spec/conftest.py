from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.spec.cell import Cell
from arena.spec.goal import Goal, GoalRules
from arena.spec.plan import Facts, PanelFacts, Plan, make_plan
from arena.spec.sample import resolve_sample
from arena.spec.source import PluginSource

COMMIT = "0123456789abcdef0123456789abcdef01234567"
POOL = [f"task-{number}" for number in range(10)]

Planner = Callable[..., Plan]


@pytest.fixture
def planned() -> Planner:
    """A plan of a small cell; keyword arguments are sections of the cell, `facts` what it resolved to."""
    return _planned


def _planned(facts: dict[str, Any] | None = None, **sections: Any) -> Plan:
    cell = Cell.model_validate(
        {
            "cell": "small",
            "goal": "v5",
            "model": {"base": "arena/tiny-coder", "revision": COMMIT},
            "budget": {"hours": 1},
            "evaluate": [{"suite": "mini_swe", "sample": "seed0-4", "replicates": 2}],
            **sections,
        }
    )
    found = {
        "goal": Goal("v5", GoalRules(distillation="allowed"), "Be better.\n", "ab" * 32, Path("goals/v5.md")),
        "revision": COMMIT,
        "panels": tuple(
            PanelFacts(
                suite_digest="cd" * 32,
                scorer="scorers.swe_bench:scorer",
                score_definition="resolved/scored",
                samples=tuple(resolve_sample(name, POOL) for name in panel.samples),
            )
            for panel in cell.evaluate
        ),
        "plugins": tuple(
            source(spec)
            for spec in (cell.recipe.trainer, cell.harness.solver, *cell.harness.plugins, "scorers.swe_bench:scorer")
        ),
        "harness": {"prompt": "Repair it.", "tools": [{"name": "bash"}], "limits": {"messages": 60, "cost": None}},
        **(facts or {}),
    }
    return make_plan(cell, Facts(**found))


def source(spec: str, digest: str = "1", **packages: str) -> PluginSource:
    return PluginSource(spec, f"d{digest}", f"f{digest}", (("a.py", digest),), tuple(sorted(packages.items())))
