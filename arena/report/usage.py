"""What a panel used, and how often it was tried: sums over every attempt, counting or not."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from arena.report.outcomes import PanelOutcomes, first_graded


@dataclass(frozen=True)
class Usage:
    """What a panel's attempts used, all of them. Null where nothing was recorded."""

    tokens_in: int | None
    tokens_cached: int | None
    tokens_out: int | None
    turns: int | None
    working_s: float | None
    waiting_s: float | None
    cost: float | None
    """Null unless every attempt has a price."""
    delegations: int | None
    """Null unless every attempt says how many."""


@dataclass(frozen=True)
class Attempts:
    """How often episodes were run again. Only unscored ones may be."""

    total: int
    rerolled: int
    """Places that needed more than one attempt."""
    share: float | None
    """Of the places with an episode."""
    graded_again: int
    """Attempts made at a place that had a grade already; they do not count."""


def usage_of(outcomes: PanelOutcomes) -> Usage:
    """Add up what is recorded; a cost with a gap is null, since a partial sum would pass for the whole."""
    attempts = [episode for there in outcomes.attempts.values() for episode in there]
    costs = [episode.cost for episode in attempts]
    return Usage(
        tokens_in=_total(e.tokens_in for e in attempts),
        tokens_cached=_total(e.tokens_cached for e in attempts),
        tokens_out=_total(e.tokens_out for e in attempts),
        turns=_total(e.turns for e in attempts),
        working_s=_seconds(e.working_s for e in attempts),
        waiting_s=_seconds(e.waiting_s for e in attempts),
        cost=_seconds(costs) if None not in costs else None,
        delegations=_whole(e.delegations for e in attempts),
    )


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _whole(values: Iterable[int | None]) -> int | None:
    """Add up counts; one that nobody recorded leaves the sum unknown."""
    counts = list(values)
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _seconds(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def attempts_of(outcomes: PanelOutcomes) -> Attempts:
    """Count attempts, and those that were made again."""
    lists = outcomes.attempts.values()
    rerolled = sum(len(attempts) > 1 for attempts in lists)
    again = sum(len(attempts) - 1 - attempts.index(first_graded(attempts)) for attempts in lists)
    return Attempts(
        total=sum(len(attempts) for attempts in lists),
        rerolled=rerolled,
        share=rerolled / len(lists) if lists else None,
        graded_again=again,
    )
