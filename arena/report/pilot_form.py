"""A panel in the form that the self-play pilot reported: its keys, their order, and its own definitions of them.

There `completed` means scored, and everything else that was recorded is unscored. An episode that a limit ended and
that has a grade is therefore `completed` here, and `timeout` is one that a limit ended without.
"""

from typing import Any

from arena.report.panel import PanelResult

NEVER_BEGAN = ("pending", "not_run_budget")

STATUSES = {"completed": "ungraded", "limit": "timeout"}
"""The pilot's words for how an episode without a grade ended, where they are not ours."""

BOOTSTRAP: dict[str, Any] = {
    "method": "paired percentile",
    "samples": 10000,
    "seed": 0,
    "confidence": 0.95,
    "law": "exact",
}
"""How intervals are made. The exact law is what resampling without end would give: it needs no samples and no seed."""


def condition(result: PanelResult) -> dict[str, Any]:
    """Return the pilot's record of one condition."""
    statuses = {"completed": result.scored} if result.scored else {}
    statuses |= {STATUSES.get(name, name): count for name, count in result.unscored_executions.items()}
    recorded = sum(statuses.values())
    attempted = recorded - sum(statuses.get(name, 0) for name in NEVER_BEGAN)
    usage = result.usage
    return {
        "recorded_tasks": recorded,
        "completed": result.scored,
        "attempted": attempted,
        "successes": result.passed,
        "unscored": recorded - result.scored,
        "rate": result.rate,
        "statuses": statuses,
        "generated_tokens": usage.tokens_out if attempted else 0,
        "elapsed_seconds": usage.working_s if attempted else 0,
        "delegations": usage.delegations,
        "planned": result.planned,
        "unrecorded": result.planned - recorded,
    }
