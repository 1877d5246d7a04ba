"""The train stage: made once for all cells with the same inputs, under its budget, resumable where it was killed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from arena.errors import RecordError, TrainError, boundary
from arena.execute.budget import Account
from arena.execute.facts import machine, packages, source
from arena.execute.packaging import training_label
from arena.execute.progress import Progress
from arena.execute.training import Checkpoint, Trainer, TrainJob, TrainResult, TrainStep
from arena.records.ledgers import Ledger
from arena.records.store import Slot, Store, stage_key
from arena.spec.plugin import load
from arena.spec.weights import weights_digest


@dataclass(frozen=True)
class TrainSpec:
    """What training depends on, and nothing else."""

    base: Path
    base_digest: str
    trainer: str
    trainer_digest: str
    parameters: Mapping[str, Any]
    seed: int
    gpus: int
    hours: float
    data: Path | None
    data_digest: str | None

    def inputs(self) -> dict[str, object]:
        """Return what the stage's key is made of: no path of this machine is in it."""
        values = asdict(self)
        parameters = {key: value for key, value in self.parameters.items() if key != "data" or self.data is None}
        return {**values, "base": None, "data": None, "parameters": parameters}


@dataclass(frozen=True)
class Trained:
    """A finished train stage."""

    key: str
    folder: Path
    """The slot's output folder."""
    record: Mapping[str, Any]

    def checkpoint(self, name: str) -> Path | None:
        """Return the folder of a checkpoint, or none where nothing was trained and `final` is the base itself.

        Raises
        ------
        TrainError
            There is no such checkpoint, or its weights are no longer those that training left.
        """
        kept = {entry["name"]: entry for entry in self.record["checkpoints"]}
        if name in ("final", "submitted"):
            if not kept:
                return None
            name = self.record["checkpoints"][-1]["name"]
        if name not in kept:
            raise TrainError(f"no checkpoint {name!r}; this training left {', '.join(kept) or 'none'}")
        folder = self.folder / str(kept[name]["path"])
        if weights_digest(folder).digest != kept[name]["digest"]:
            raise TrainError(f"{folder}: these are not the weights that training left; restore them or train again")
        return folder


def train(spec: TrainSpec, store: Store, progress: Progress) -> Trained:
    """Train, or return what an earlier run of the same stage left."""
    inputs = spec.inputs()
    key = stage_key("train", inputs)
    with store.held("train", key) as slot:
        if slot.record is not None:
            progress.stage("train", f"already there ({key[:8]}): {_said(slot.record)}")
            return Trained(key, slot.output, slot.record)
        progress.stage("train", f"{spec.trainer}, seed {spec.seed} ({key[:8]})")
        record = _run(spec, slot, progress)
        slot.finish(inputs, record)
        progress.stage("train", _said(record))
        return Trained(key, slot.output, record)


def _run(spec: TrainSpec, slot: Slot, progress: Progress) -> dict[str, Any]:
    account = Account(slot.folder / "used.json")
    function = cast(Trainer, load(spec.trainer))

    def on_step(step: TrainStep) -> None:
        account.tick()
        loss = "" if step.loss is None else f"loss {step.loss:.3f}"
        speed = "" if step.tokens_per_s is None else f", {step.tokens_per_s:.0f} tokens/s"
        progress.step("train", step.step, step.steps, f"steps {loss}{speed}")

    job = TrainJob(
        base=spec.base,
        seed=spec.seed,
        parameters=dict(spec.parameters),
        deadline_s=account.deadline_s(spec.hours or None),
        out=slot.output,
        data=spec.data,
        progress=on_step,
    )
    with boundary(TrainError, f"{spec.trainer} failed"):
        result = function(job)
    account.save()
    return _record(spec, slot, result, account.used_s)


def _record(spec: TrainSpec, slot: Slot, result: TrainResult, used_s: float) -> dict[str, Any]:
    ledger = Ledger(slot.folder / "checkpoints.jsonl")
    parent = spec.base_digest
    checkpoints = []
    for checkpoint in result.checkpoints:
        entry = _checkpoint(checkpoint, slot)
        checkpoints.append(entry)
        ledger.append("trained", {**entry, "parent": parent})
        parent = entry["digest"]
    after = checkpoints[-1]["digest"] if checkpoints else spec.base_digest
    return {
        "label": training_label(spec.base_digest, after, result.steps),
        "status": result.status,
        "steps": result.steps,
        "checkpoints": checkpoints,
        "weights_before": spec.base_digest,
        "weights_after": after,
        "measures": dict(result.measures),
        "notes": list(result.notes),
        "history": [asdict(step) for step in result.history],
        "used": {"seconds": used_s, "gpus": spec.gpus, "gpu_hours": spec.gpus * used_s / 3600},
        "allocated": {"hours": spec.hours, "gpus": spec.gpus, "gpu_hours": spec.gpus * spec.hours},
        "machine": machine(),
        "packages": packages(),
        "source": source(),
    }


def _checkpoint(checkpoint: Checkpoint, slot: Slot) -> dict[str, Any]:
    try:
        path = str(checkpoint.path.relative_to(slot.output))
    except ValueError:
        raise TrainError(
            f"checkpoint {checkpoint.name!r} lies at {checkpoint.path}, outside of the job's folder {slot.output}"
        ) from None
    try:
        digest = weights_digest(checkpoint.path).digest
    except RecordError as damage:
        raise TrainError(f"checkpoint {checkpoint.name!r} cannot be used: {damage}") from damage
    adapter = (checkpoint.path / "adapter_config.json").exists()
    kind = "adapter" if adapter else "full"
    return {"name": checkpoint.name, "step": checkpoint.step, "path": path, "digest": digest, "kind": kind}


def _said(record: Mapping[str, Any]) -> str:
    loss = record["measures"].get("loss")
    return (
        f"{record['label']}, {record['steps']} steps, {record['status']}"
        + ("" if loss is None else f", loss {loss:.3f}")
        + f", {record['used']['seconds']:.0f} s"
    )
