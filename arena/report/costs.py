"""What an episode of a run cost, from its records: the base of every estimate. What was not recorded is null, not 0."""

from dataclasses import dataclass

from arena.records.files import read_json
from arena.records.run import Panel, RunRecord
from arena.report.outcomes import panel_outcomes
from arena.report.usage import usage_of


@dataclass(frozen=True)
class Cost:
    """What episodes cost, or are expected to."""

    episodes: int
    working_h: float | None
    """Hours that episodes worked, added up; several may work at once."""
    wall_h: float | None
    """Hours on the clock, at the concurrency of the recorded run."""
    gpu_h: float | None
    money: float | None
    """Null unless every recorded attempt has a price."""

    def times(self, episodes: int) -> "Cost":
        """Return what so many episodes cost at the same rates; null stays null."""
        if not self.episodes:
            return Cost(episodes, None, None, None, None)
        share = episodes / self.episodes
        known = (self.working_h, self.wall_h, self.gpu_h, self.money)
        return Cost(episodes, *(None if value is None else value * share for value in known))

    def plus(self, other: "Cost") -> "Cost":
        """Add up; a sum with a part that is not known is not known."""
        return Cost(
            self.episodes + other.episodes,
            _sum(self.working_h, other.working_h),
            _sum(self.wall_h, other.wall_h),
            _sum(self.gpu_h, other.gpu_h),
            _sum(self.money, other.money),
        )


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


NO_COST = Cost(0, 0.0, 0.0, 0.0, 0.0)


def recorded_cost(run: RunRecord, panel: Panel) -> Cost:
    """Return what a panel's attempts cost, all of them: an unscored one is paid for too."""
    outcomes = panel_outcomes(run, panel)
    usage = usage_of(outcomes)
    wall_s = _wall_s(run, panel)
    gpus = gpus_of(run)
    return Cost(
        episodes=len(outcomes.attempts),
        working_h=None if usage.working_s is None else usage.working_s / 3600,
        wall_h=None if wall_s is None else wall_s / 3600,
        gpu_h=None if wall_s is None or gpus is None else gpus * wall_s / 3600,
        money=usage.cost,
    )


def gpus_of(run: RunRecord) -> int | None:
    """Return how many GPUs the evaluation had, as a stage recorded it."""
    for name in ("serve", "evaluate", "check", "train"):
        stage = run.stages.get(name)
        record = dict(stage.record) if stage else {}
        for part in (record.get("facts"), record.get("machine"), record):
            found = part.get("gpus") if isinstance(part, dict) else None
            if isinstance(found, int):
                return found
            if isinstance(found, list):
                return len(found)
    return None


def _wall_s(run: RunRecord, panel: Panel) -> float | None:
    """Return the seconds that a panel took over all starts of its run; of a run with one panel also from its stage."""
    number = [one.suite for one in run.panels].index(panel.suite)  # a suite has one panel, cut to some tasks or not
    account = run.folder / "evals" / f".used-{number}.json"
    if account.is_file():
        return float(read_json(account)["seconds"])
    stage = run.stages.get("evaluate")
    return stage.seconds if stage is not None and len(run.panels) == 1 else None
