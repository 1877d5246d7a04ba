"""A panel's episodes in order: which attempt counts for each task and replicate, and the outcomes as an array."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arena.errors import RecordError
from arena.records.episode import Episode
from arena.records.outcome import Execution
from arena.records.run import Panel, RunRecord

Place = tuple[str, int]
"""Task and replicate."""

ENDED: frozenset[Execution] = frozenset(
    {"completed", "limit", "harness_error", "sandbox_error", "provider_error", "unrecorded"}
)
"""Executions that came to an end of their own, or of which an imported record says no more; the others are still owed
to the plan unless they have a grade."""

NOT_RECORDED = "not_recorded"


@dataclass(frozen=True)
class PanelOutcomes:
    """Every attempt of one panel, and the one that counts at each place."""

    panel: Panel
    attempts: Mapping[Place, tuple[Episode, ...]]
    """Attempts at each place that has any, in order."""

    @cached_property
    def counting(self) -> Mapping[Place, Episode]:
        """The first graded attempt at each place; where there is none, the last attempt."""
        return {place: first_graded(attempts) for place, attempts in self.attempts.items()}

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """Outcomes, shape (tasks, replicates) in the panel's order of tasks: 1 pass, 0 fail, NaN unscored.

        A place that is not planned is NaN too; only `places` tells it from an unscored one.
        """
        values = np.full((len(self.panel.task_ids), self.panel.replicates), np.nan)
        rows = {task: row for row, task in enumerate(self.panel.task_ids)}
        for task, replicate in self.counting:
            values[rows[task], replicate - 1] = self.grade((task, replicate))
        return values

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every planned place, in order."""
        absent = frozenset(self.panel.absent)
        replicates = range(1, self.panel.replicates + 1)
        all_places = ((task, replicate) for task in self.panel.task_ids for replicate in replicates)
        return tuple(place for place in all_places if place not in absent)

    def grade(self, place: Place) -> float:
        """Return one outcome: 1 pass, 0 fail, NaN unscored."""
        episode = self.counting.get(place)
        return {"pass": 1.0, "fail": 0.0}.get(episode.grade, np.nan) if episode else np.nan

    def restricted(self, task_ids: Sequence[str]) -> "PanelOutcomes":
        """Return the same panel with these of its tasks only, in this order."""
        kept = frozenset(task_ids)
        return PanelOutcomes(
            replace(
                self.panel,
                task_ids=tuple(task_ids),
                absent=tuple(place for place in self.panel.absent if place[0] in kept),
            ),
            {place: attempts for place, attempts in self.attempts.items() if place[0] in kept},
        )


def panel_outcomes(run: RunRecord, panel: Panel) -> PanelOutcomes:
    """Collect a panel's episodes; raises `RecordError` for one that the panel did not plan or that stands twice."""
    planned = frozenset(PanelOutcomes(panel, {}).places)
    attempts: dict[Place, dict[int, Episode]] = defaultdict(dict)
    for episode in run.episodes:
        if not belongs(episode, panel):
            continue
        if (episode.task, episode.replicate) not in planned:
            raise RecordError(
                f"{run.folder}: episode of {episode.task!r}, replicate {episode.replicate}, which panel {panel.suite} "
                f"({len(panel.task_ids)} tasks, {panel.replicates} replicates) did not plan; rebuild the episode table"
            )
        if episode.attempt in attempts[episode.task, episode.replicate]:
            raise RecordError(
                f"{run.folder}: {panel.suite} has attempt {episode.attempt} at {episode.task!r}, "
                f"replicate {episode.replicate}, twice; rebuild the episode table"
            )
        attempts[episode.task, episode.replicate][episode.attempt] = episode
    return PanelOutcomes(
        panel, {place: tuple(by_number[n] for n in sorted(by_number)) for place, by_number in sorted(attempts.items())}
    )


def belongs(episode: Episode, panel: Panel) -> bool:
    """Tell whether an episode is one of the panel's own: of its sample, and not a sub-agent's."""
    same = (episode.suite, episode.sample_digest) == (panel.suite, panel.sample_digest)
    return same and episode.parent_episode is None


def ended(episode: Episode) -> bool:
    return episode.scored or episode.execution in ENDED


def first_graded(attempts: Sequence[Episode]) -> Episode:
    """Return the attempt that counts: the first with a grade, or the last where none has one."""
    return next((episode for episode in attempts if episode.scored), attempts[-1])
