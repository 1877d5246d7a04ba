"""Scores by name: each is one small function over a panel's episodes, and never shown without its definition.

The same trials have several "scores" in the wild, which differ in what they do with a trial that has no grade. Each of
them is computed here under its own name.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

from arena.errors import UsageError
from arena.records.episode import Episode
from arena.records.run import Panel

Place = tuple[str, int]
"""Task and replicate."""

UNUSUAL = "reward"
"""What the reason of an episode begins with that has a reward which is neither 0 nor 1."""

THRESHOLD = "reward >="
"""What stands in a panel's score definition where rewards were graded by a threshold."""

NOT_TRIED = frozenset({"pending", "not_run_budget"})
ERRORS = frozenset({"harness_error", "sandbox_error", "provider_error", "cancelled", "interrupted_budget"})


@dataclass(frozen=True)
class Counted:
    """A panel and the episode that counts at each place that has one."""

    panel: Panel
    episodes: Mapping[Place, Episode]

    @property
    def tried(self) -> list[Episode]:
        return [one for one in self.episodes.values() if one.execution not in NOT_TRIED]


@dataclass(frozen=True)
class Figure:
    """A value and the number of episodes in its denominator; without a value, why."""

    value: float | None
    counted: int
    stderr: float | None = None
    why: str | None = None


@dataclass(frozen=True)
class Score:
    """A figure under its name, with what the name means."""

    name: str
    definition: str
    value: float | None
    counted: int
    """Episodes in the denominator."""
    stderr: float | None
    """Standard error as the definition has it; null where it has none."""
    why: str | None
    """Why there is no value."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ScoreDefinition:
    name: str
    text: str
    compute: Callable[[Counted], Figure]


def counting(panel: Panel, episodes: Iterable[Episode]) -> dict[Place, Episode]:
    """Return the episode that counts at each planned place: the first graded attempt, or else the last one."""
    planned, absent = frozenset(panel.task_ids), frozenset(panel.absent)
    found: dict[Place, Episode] = {}
    for one in sorted(episodes, key=lambda one: one.attempt):
        place = one.task, one.replicate
        own = (one.suite, one.sample_digest, one.parent_episode) == (panel.suite, panel.sample_digest, None)
        inside = one.task in planned and 1 <= one.replicate <= panel.replicates and place not in absent
        if own and inside and not (place in found and found[place].scored):
            found[place] = one
    return found


def score(name: str, panel: Panel, episodes: Iterable[Episode]) -> Score:
    """Compute the score `name` of a panel; raises `UsageError` for a name that is not defined."""
    definition = DEFINITIONS.get(name)
    if definition is None:
        near = get_close_matches(name, DEFINITIONS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(DEFINITIONS)}"
        raise UsageError(f"no score is defined as {name!r}{hint}")
    figure = definition.compute(Counted(panel, counting(panel, episodes)))
    return Score(name, definition.text, figure.value, figure.counted, figure.stderr, figure.why)


def _scored(counted: Counted) -> Figure:
    graded = [one for one in counted.episodes.values() if one.scored]
    return _share(graded, "no episode has a grade")


def _planned(counted: Counted) -> Figure:
    passed = _passed(counted.episodes.values())
    planned = counted.panel.planned
    return Figure(passed / planned, planned) if planned else Figure(None, 0, why="nothing was planned")


def _submitted(counted: Counted) -> Figure:
    return _share(counted.tried, "nothing was handed in")


def _tb1_accuracy(counted: Counted) -> Figure:
    return _share(counted.tried, "no trial was recorded")


def _tb2_official(counted: Counted) -> Figure:
    """Average over tasks of the share of passes among the trials that enter."""
    entering = [one for one in counted.tried if _enters(one)]
    if (refused := _no_mean(counted, entering)) is not None:
        return refused
    tasks = _by_task(entering)
    missing = len(counted.panel.task_ids) - len(tasks)
    if missing or not tasks:
        return Figure(None, len(entering), why=f"{missing} of {len(counted.panel.task_ids)} tasks have no such trial")
    rates = [_passed(trials) / len(trials) for trials in tasks.values()]
    value = math.fsum(rates) / len(rates)
    if any(len(trials) < 2 for trials in tasks.values()):
        return Figure(value, len(entering))
    variances = [rate * (1 - rate) / (len(trials) - 1) for rate, trials in zip(rates, tasks.values(), strict=True)]
    return Figure(value, len(entering), stderr=math.sqrt(math.fsum(variances)) / len(rates))


def _enters(trial: Episode) -> bool:
    return trial.execution == "completed" or (trial.execution == "limit" and trial.limit == "wall")


def _mean_of_all(counted: Counted) -> Figure:
    return _no_mean(counted, counted.tried) or _share(counted.tried, "no trial was recorded")


def _mean_of_effective(counted: Counted) -> Figure:
    without_error = [one for one in counted.tried if one.execution not in ERRORS]
    return _no_mean(counted, without_error) or _share(without_error, "every rollout ended with an error")


def _mean_of_tasks(counted: Counted) -> Figure:
    if (refused := _no_mean(counted, counted.tried)) is not None:
        return refused
    graded = [one for one in counted.episodes.values() if one.scored]
    rates = [_passed(runs) / len(runs) for runs in _by_task(graded).values()]
    if not rates:
        return Figure(None, 0, why="no sample has a score")
    return Figure(math.fsum(rates) / len(rates), len(graded))


def _share(episodes: Sequence[Episode], why: str) -> Figure:
    if not episodes:
        return Figure(None, 0, why=why)
    return Figure(_passed(episodes) / len(episodes), len(episodes))


def _passed(episodes: Iterable[Episode]) -> int:
    return sum(one.grade == "pass" for one in episodes)


def _no_mean(counted: Counted, episodes: Sequence[Episode]) -> Figure | None:
    """Refuse a mean of rewards where some are neither 0 nor 1, since a grade does not keep them."""
    if THRESHOLD in counted.panel.score_definition:
        return Figure(None, len(episodes), why="rewards were graded by a threshold, and grades keep no mean of them")
    unusual = sum((one.reason or "").startswith(f"{UNUSUAL} ") for one in episodes)
    why = f"{unusual} rewards are neither 0 nor 1, and grades keep no mean of them"
    return Figure(None, len(episodes), why=why) if unusual else None


def _by_task(episodes: Iterable[Episode]) -> dict[str, list[Episode]]:
    tasks: dict[str, list[Episode]] = {}
    for one in episodes:
        tasks.setdefault(one.task, []).append(one)
    return tasks


_ALL = (
    ScoreDefinition(
        "resolved/scored", "passes / episodes that have a grade; what has none is left out and named beside it", _scored
    ),
    ScoreDefinition(
        "reward_1/scored", "trials with a reward of 1 / trials that have a reward; one between 0 and 1 failed", _scored
    ),
    ScoreDefinition(
        "resolved/planned",
        "passes / all planned episodes, whatever became of them: SWE-bench's resolved / total, as its leaderboard has",
        _planned,
    ),
    ScoreDefinition(
        "resolved/submitted", "passes / episodes that were tried at all: SWE-bench's resolved / submitted", _submitted
    ),
    ScoreDefinition(
        "tb1_accuracy",
        "Terminal-Bench 1's accuracy: passes / recorded trials; a trial that was not graded counts as failed",
        _tb1_accuracy,
    ),
    ScoreDefinition(
        "tb2_official",
        "Terminal-Bench 2's leaderboard: mean over tasks of the mean over trials that ended by themselves or by the "
        "agent's or verifier's timeout; one of these without a reward counts 0, any other exception is left out; "
        "defined only where every task has a trial; stderr is of the trials alone, the tasks taken as given",
        _tb2_official,
    ),
    ScoreDefinition(
        "harbor_mean",
        "Harbor's mean: over recorded trials; a trial without a reward, whatever its exception, counts 0",
        _mean_of_all,
    ),
    ScoreDefinition(
        "verifiers_all", "mean reward over recorded rollouts; one that ended with an error counts 0", _mean_of_all
    ),
    ScoreDefinition(
        "verifiers_effective",
        "mean reward over rollouts that ended without an error; one of these without a reward counts 0",
        _mean_of_effective,
    ),
    ScoreDefinition(
        "inspect_accuracy",
        "Inspect's accuracy: mean over samples of the mean over their scored epochs; unscored ones are left out",
        _mean_of_tasks,
    ),
    ScoreDefinition("lm_eval_mean", "lm-eval's mean of the metric over the documents that were logged", _scored),
)

DEFINITIONS: Mapping[str, ScoreDefinition] = {one.name: one for one in _ALL}
