"""What a limiter answers."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    allowed: bool
    remaining: int
    """How many more are allowed at this moment."""
    retry_after: float = 0.0
    """Seconds until it is worth asking again; 0 if allowed."""


def headers(decision: Decision, limit: int) -> dict[str, str]:
    """Return the HTTP headers that tell a client about a decision."""
    found = {"X-RateLimit-Limit": str(limit), "X-RateLimit-Remaining": str(decision.remaining)}
    if not decision.allowed:
        found["Retry-After"] = str(math.ceil(decision.retry_after))
    return found


def strictest(decisions: list[Decision]) -> Decision:
    """Return one decision for several limits that all have to be kept."""
    return Decision(
        all(decision.allowed for decision in decisions),
        min(decision.remaining for decision in decisions),
        max(decision.retry_after for decision in decisions),
    )
