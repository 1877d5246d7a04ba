"""Whether a study needs a further round of replicates: every claim decided, or no longer to be decided.

Looking after every round is paid for by e-values about the tasks' population, in which a task counts once. To stop
because nothing more can be hoped for adds nothing to the chance of a false decision.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from arena.records.claims import LockedClaim
from arena.records.run import RunRecord
from arena.report.claims import Decision, decisions
from arena.report.json_form import Json, json_form
from arena.report.outcomes import PanelOutcomes, panel_outcomes
from arena.report.rounds import cut, whole_rounds
from arena.report.words import percent
from stats import wilson
from stats.sequential import Estimand, Look, Round, chance_to_reach, e_process, group_sequential

if TYPE_CHECKING:
    from rich.console import RenderableType

FUTILE = 0.05
"""Chance of a decision, seen hopefully, below which no further round is worth its cost."""
SEED = 0

Standing = Literal["decided", "futile", "open", "spent", "not_begun"]

Outcomes = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Of the comparator and of the treatment, shape (tasks, rounds)."""

HEADER = ("claim", "rounds", "gained, lost, tied", "e-value", "goal", "chance", "stands", "group-sequential")


@dataclass(frozen=True)
class ClaimProgress:
    """How far a claim is."""

    scope: str
    id: str
    suite: str
    standing: Standing
    """`spent`: all replicates that the study allows were run."""
    word: str
    """What would be decided now."""
    estimand: Estimand
    rounds: tuple[Round, ...]
    these_tasks: tuple[Round, ...]
    """The same evidence about these tasks alone, in which every run counts; it decides nothing."""
    goal: float
    """The e-value that decides under `e_value`: the study's, at least 1 / alpha, times the claims of its family."""
    chance: float | None
    """Of reaching the goal with the rounds that are left, were the gains as frequent as they may be at best."""
    looks: tuple[Look, ...]
    """The exact group-sequential test of the same rounds: it finds more, and needs one look after each round."""


@dataclass(frozen=True)
class StopState:
    """How far a study's claims are."""

    claims: tuple[ClaimProgress, ...]

    @property
    def another_round(self) -> bool:
        """Whether a further round can still decide a claim."""
        return any(one.standing in ("open", "not_begun") for one in self.claims)

    @property
    def open_suites(self) -> frozenset[str]:
        """Suites on which a further round can still decide a claim."""
        return frozenset(one.suite for one in self.claims if one.standing in ("open", "not_begun"))

    def as_json(self) -> Json:
        return {"another_round": self.another_round, "claims": json_form(self.claims)}

    def drawn(self) -> "RenderableType":
        from rich.table import Table
        from rich.text import Text

        drawn = Table(*HEADER, box=None, header_style="dim")
        for one in self.claims:
            drawn.add_row(*(Text(text) for text in _line(one)))
        return drawn


def stop_state(locks: Sequence[LockedClaim], runs: Iterable[RunRecord]) -> StopState:
    """Say how far each claim with a stopping rule is, by the whole rounds that both of its arms have."""
    runs = tuple(runs)
    by_id = {run.id: run for run in runs}
    found = decisions(locks, runs).decisions
    return StopState(
        tuple(
            _progress(locked, decision, by_id)
            for locked, decision in zip(locks, found, strict=True)
            if locked.stop is not None
        )
    )


def _progress(locked: LockedClaim, decision: Decision, runs: dict[str, RunRecord]) -> ClaimProgress:
    assert locked.stop is not None
    claim = locked.claim
    goal = max(locked.stop.e_value, 1 / claim.alpha) * (decision.family_size if claim.correction != "none" else 1)
    arms = _arms(runs.get(decision.a or ""), runs.get(decision.b or ""), claim.suite)
    rounds = e_process(*arms) if arms else ()
    if not arms or not rounds:
        empty: tuple[Round, ...] = ()
        return ClaimProgress(*_name(decision), "not_begun", decision.word, "population", empty, empty, goal, None, ())
    left = locked.stop.replicates_max - len(rounds)
    by_e_value = locked.stop.design == "e_value" and claim.direction != "equivalent"
    chance = None if not by_e_value else hopeful_chance(rounds, left, goal)
    return ClaimProgress(
        *_name(decision),
        standing=_standing(decision, chance, left),
        word=decision.word,
        estimand="population",
        rounds=rounds,
        these_tasks=e_process(*arms, "tasks"),
        goal=goal,
        chance=chance,
        looks=group_sequential(*arms, locked.stop.replicates_max, np.random.default_rng(SEED), claim.alpha),
    )


def _name(decision: Decision) -> tuple[str, str, str]:
    return decision.scope, decision.id, decision.suite


def _arms(a: RunRecord | None, b: RunRecord | None, suite: str) -> Outcomes | None:
    """Return both arms' outcomes on their common tasks, whole rounds only."""
    if a is None or b is None or not (rounds := min(whole_rounds(a, suite), whole_rounds(b, suite))):
        return None
    one, other = (_outcomes(cut(run, suite, rounds), suite) for run in (a, b))
    tasks = sorted(set(one.panel.task_ids) & set(other.panel.task_ids))
    return one.restricted(tasks).matrix, other.restricted(tasks).matrix


def _outcomes(run: RunRecord, suite: str) -> PanelOutcomes:
    return next(panel_outcomes(run, panel) for panel in run.panels if panel.suite == suite)


def _standing(decision: Decision, chance: float | None, left: int) -> Standing:
    if decision.computed in ("supports", "contradicts"):
        return "decided"
    if left <= 0:
        return "spent"
    return "futile" if chance is not None and chance < FUTILE else "open"


def hopeful_chance(rounds: Sequence[Round], left: int, goal: float) -> float:
    """Return the chance of a decision either way in the rounds that are left, were the effect as large as it may be."""
    now = rounds[-1]
    if left <= 0 or not now.tied:
        return 0.0
    turns = 1 - (1 - _hazard(rounds)) ** left
    moved = now.gained + now.lost
    likely = wilson(now.gained, moved) if moved else None
    up, down = (likely.hi, 1 - likely.lo) if likely else (1.0, 1.0)
    return max(
        chance_to_reach(now.gained, now.lost, now.tied, turns=turns, gain=up, e_value=goal),
        chance_to_reach(now.lost, now.gained, now.tied, turns=turns, gain=down, e_value=goal),
    )


def _hazard(rounds: Sequence[Round]) -> float:
    """Return the share of tied tasks that differed in the last round."""
    now = rounds[-1]
    before = rounds[-2].tied if len(rounds) > 1 else now.tied + now.gained + now.lost
    return (before - now.tied) / before if before else 0.0


def _line(one: ClaimProgress) -> tuple[str, ...]:
    last = one.rounds[-1] if one.rounds else None
    moved = f"{last.gained}, {last.lost}, {last.tied}" if last else ""
    looks = "" if not one.looks else f"rejects at round {one.looks[-1].rounds}" if one.looks[-1].rejects else "open"
    value = f"{last.e_value:.3g}" if last else ""
    name = f"{one.scope} {one.id}"
    return name, str(len(one.rounds)), moved, value, f"{one.goal:g}", percent(one.chance), one.standing, looks
