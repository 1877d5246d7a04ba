"""A run's index while it goes on: what stands in `run.json` after every stage."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.records.files import whole_file
from arena.records.run import Panel, RunRecord, RunStatus, StageState, load_run, save_run
from arena.spec.factors import factors
from arena.spec.plan import Plan

STAGES = ("check", "attest", "train", "package", "serve", "evaluate", "summarise")


@dataclass
class RunState:
    """The one place where a run's record changes."""

    record: RunRecord
    plan: Plan
    _plugins: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, plan: Plan) -> "RunState":
        """Take up the run in `folder`, or begin it."""
        if (folder / "run.json").exists():
            return cls(load_run(folder), plan)
        with whole_file(folder / "plan.json") as draft:
            draft.write_text(plan.to_json(), encoding="utf-8")
        stages = {name: StageState("", "not_started") for name in STAGES}
        record = RunRecord(folder, plan.name, plan.digest, "running", now(), now(), (), stages)
        state = cls(record, plan)
        state.save()
        return state

    def save(self, **changes: Any) -> None:
        """Replace parts of the record and write it."""
        self.record = replace(self.record, **changes, updated_at=now())
        records = {name: stage.record for name, stage in self.record.stages.items() if stage.record}
        self.record = replace(self.record, factors=factors(self.plan, records))
        save_run(self.record)

    def stage(self, name: str, state: StageState) -> None:
        self.save(stages={**self.record.stages, name: state})

    def ended(self, status: RunStatus, message: str | None = None) -> None:
        self.save(status=status, message=message)

    def panels(self, panels: tuple[Panel, ...]) -> None:
        self.save(panels=panels)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
