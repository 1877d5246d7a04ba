"""What a trainer is given and what it gives back. A trainer is `module:function`, called as `train(job)`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol


@dataclass(frozen=True)
class TrainStep:
    """One progress report."""

    step: int
    steps: int | None
    loss: float | None
    tokens_per_s: float | None


@dataclass(frozen=True)
class TrainJob:
    """Everything that a trainer may depend on."""

    base: Path
    """Folder of the base checkpoint, in Hugging Face format."""
    seed: int
    parameters: Mapping[str, object]
    """The recipe's `with:`."""
    deadline_s: float | None
    """Unix time at which training must have stopped, or none."""
    out: Path
    """The trainer's own folder, kept between attempts: what an interrupted attempt left there is the resume point."""
    data: Path | None = None
    """The recipe's data file, or none."""
    progress: Callable[[TrainStep], None] = lambda _: None
    """Call it every few steps."""


@dataclass(frozen=True)
class Checkpoint:
    """One set of weights that training left."""

    name: str
    """`step_900`, or `final` for the one that is to be packaged when the cell names none."""
    step: int
    path: Path
    """Folder in Hugging Face format: a full checkpoint, or a peft adapter (`adapter_config.json`)."""


@dataclass(frozen=True)
class TrainResult:
    """What came of a training run."""

    checkpoints: tuple[Checkpoint, ...]
    """In order of steps; the last one is `final`. Empty for a trainer that trains nothing."""
    steps: int
    """Optimizer steps that were made."""
    status: Literal["completed", "deadline", "stopped"]
    measures: Mapping[str, float] = field(default_factory=dict)
    """Figures for the record: final loss, tokens, tokens a second, seconds."""
    history: tuple[TrainStep, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader of the record should know: a damaged checkpoint that was passed over, a shortened row."""


class Trainer(Protocol):
    def __call__(self, job: TrainJob) -> TrainResult: ...
