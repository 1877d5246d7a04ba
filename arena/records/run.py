"""A run as it lies on disk: `runs/<cell>/<digest8>/`, one folder a plan.

plan.json          the declared inputs, resolved and pinned
run.json           status, panels, stages; an index that can be rebuilt
factors.json       plan and stage records, flattened
episodes.parquet   one row an episode
evals/<suite>/r<R>/a<A>.eval             Inspect's own log of one attempt at a replicate
evals/<suite>/r<R>/a<A>.calls.parquet    every generation call of that attempt
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from arena.errors import RecordError
from arena.records.episode import Episode
from arena.records.files import read_json, write_json
from arena.records.table import read_episodes
from arena.spec.factors import Factor

RUN_VERSION = 1

RunStatus = Literal["running", "complete", "failed", "stopped"]


@dataclass(frozen=True)
class Panel:
    """One suite's part of a run: which tasks, how often."""

    suite: str
    sample: str
    sample_digest: str
    task_ids: tuple[str, ...]
    replicates: int
    score_definition: str
    absent: tuple[tuple[str, int], ...] = ()
    """(task, replicate) pairs that are not planned, where replicates have samples of their own."""
    unscorable: tuple[tuple[str, str], ...] = ()
    """(task, reason): tasks of the sample that cannot be scored here, for no cell; none of them is in `task_ids`."""

    @property
    def planned(self) -> int:
        """Episodes that a complete panel has."""
        return len(self.task_ids) * self.replicates - len(self.absent)


@dataclass(frozen=True)
class StageState:
    """Where a stage stands."""

    key: str
    status: Literal["done", "skipped", "running", "failed", "stopped", "not_started"]
    folder: str | None = None
    """Relative to the runs' folder, for a stage whose outputs lie in the store."""
    seconds: float | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    """What came out and where: figures, digests, hardware, packages."""


@dataclass(frozen=True)
class RunRecord:
    """Everything that a report may read of one run."""

    folder: Path
    cell: str
    plan_digest: str
    status: RunStatus
    started_at: str
    updated_at: str
    panels: tuple[Panel, ...]
    stages: Mapping[str, StageState]
    factors: tuple[Factor, ...] = ()
    episodes: tuple[Episode, ...] = ()
    message: str | None = None
    """Why it failed or was stopped."""

    @property
    def id(self) -> str:
        return f"{self.cell}/{self.plan_digest[:8]}"


def save_run(run: RunRecord) -> None:
    """Write `run.json` and `factors.json`; the episode table is written by whoever ran the episodes."""
    write_json(
        run.folder / "run.json",
        {
            "run_version": RUN_VERSION,
            "cell": run.cell,
            "plan_digest": run.plan_digest,
            "status": run.status,
            "message": run.message,
            "started_at": run.started_at,
            "updated_at": run.updated_at,
            "panels": [asdict(panel) for panel in run.panels],
            "stages": {name: asdict(stage) for name, stage in run.stages.items()},
        },
    )
    write_json(run.folder / "factors.json", [asdict(factor) for factor in run.factors])


def load_run(folder: Path, *, episodes: bool = True) -> RunRecord:
    """Read one run; raises `RecordError` where a record is missing, damaged or of another version."""
    data = read_json(folder / "run.json")
    if data.get("run_version") != RUN_VERSION:
        raise RecordError(f"{folder / 'run.json'}: version {data.get('run_version')!r}, this arena reads {RUN_VERSION}")
    factors = folder / "factors.json"
    table = folder / "episodes.parquet"
    try:
        return RunRecord(
            folder=folder,
            cell=data["cell"],
            plan_digest=data["plan_digest"],
            status=data["status"],
            started_at=data["started_at"],
            updated_at=data["updated_at"],
            message=data["message"],
            panels=tuple(_panel(panel) for panel in data["panels"]),
            stages={name: StageState(**stage) for name, stage in data["stages"].items()},
            factors=tuple(Factor(**factor) for factor in read_json(factors)) if factors.exists() else (),
            episodes=read_episodes(table) if episodes and table.exists() else (),
        )
    except (KeyError, TypeError) as damage:
        raise RecordError(f"{folder / 'run.json'}: not a run's index ({damage!r})") from None


def _panel(data: Mapping[str, Any]) -> Panel:
    pairs = {key: tuple((first, second) for first, second in data[key]) for key in ("absent", "unscorable")}
    return Panel(**{**data, **pairs, "task_ids": tuple(data["task_ids"])})


def find_runs(root: Path) -> Iterator[Path]:
    """Give the folders of all runs below `root`, by cell and then by age, newest last."""
    for index in sorted(root.glob("*/*/run.json"), key=lambda path: (path.parts[-3], path.stat().st_mtime)):
        if index.parts[-3] != "store":
            yield index.parent


def find_run(root: Path, name: str) -> Path:
    """Return the folder of a run named by path, `cell` (its newest run) or `cell/digest8`."""
    if (Path(name) / "run.json").is_file():
        return Path(name)
    folders = [folder for folder in find_runs(root) if f"{folder.parts[-2]}/{folder.parts[-1]}".startswith(name)]
    exact = [folder for folder in folders if name in (folder.parts[-2], f"{folder.parts[-2]}/{folder.parts[-1]}")]
    if not exact and not folders:
        known = ", ".join(sorted({folder.parts[-2] for folder in find_runs(root)})) or "none"
        raise RecordError(f"{root}: no run named {name!r}; cells with runs: {known}")
    return (exact or folders)[-1]
