"""Supervised fine-tuning on conversations, by trl: all weights or LoRA; learns only what the assistant says.

An attempt that was killed goes on from its last whole checkpoint, and on one thread ends with the same weights as one
that was not. At the deadline training stops, saves, and says so.
"""

import math
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from arena.errors import TrainError, boundary
from arena.execute.training import TrainJob, TrainResult
from arena.records.files import write_json
from trainers import checkpoints, dataset
from trainers.disjoint import refuse_overlap
from trainers.history import History
from trainers.settings import Settings, settings_of

if TYPE_CHECKING:
    from trainers.watch import Watch


class Lora(Settings):
    r: int = Field(16, gt=0)
    alpha: float | None = None
    """Twice `r` where it is left out."""
    dropout: float = Field(0.0, ge=0, lt=1)
    targets: str | tuple[str, ...] = "all-linear"


class SftSettings(Settings):
    data: dataset.Generated | str | None = None
    """A `.jsonl` file of conversations, or rows to be made."""
    disjoint_from: tuple[str, ...] = ()
    """Suites of which no issue, patch or test may stand in a row; an overlap ends the training before it begins."""
    steps: int | None = Field(None, gt=0)
    """Optimizer steps; where it is left out, as many as `epochs` take."""
    epochs: float = Field(1.0, gt=0)
    batch: int = Field(8, gt=0)
    """Conversations a step."""
    micro_batch: int | None = Field(None, gt=0)
    """Conversations at once; the whole batch where it is left out."""
    learning_rate: float | None = Field(None, gt=0)
    """The peak; 2e-4 for LoRA and 2e-5 for all weights where it is left out."""
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    warmup: float = Field(0.05, ge=0, lt=1)
    """Share of the steps."""
    weight_decay: float = Field(0.0, ge=0)
    lora: Lora | None = None
    """None trains all weights."""
    max_length: int = Field(2048, gt=0)
    """Tokens of a conversation; longer ones are cut, and counted."""
    save_every: int = Field(100, gt=0)
    """Steps from checkpoint to checkpoint."""
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """Of the weights in training; `auto` is float32 on a CPU and bfloat16 on a GPU."""
    threads: int = Field(1, gt=0)
    """On a CPU. With more than one the weights are not the same from run to run."""
    gradient_checkpointing: bool = False

    @property
    def peak(self) -> float:
        return self.learning_rate or (2e-4 if self.lora else 2e-5)


def train(job: TrainJob) -> TrainResult:
    """Train from the base, or go on from what an earlier attempt left."""
    settings = settings_of(SftSettings, job.parameters)
    micro = settings.micro_batch or settings.batch
    if settings.batch % micro:
        raise TrainError(f"recipe.with.micro_batch: batch {settings.batch} is no multiple of it, got {micro}")
    job.out.mkdir(parents=True, exist_ok=True)
    point, notes = checkpoints.resume_point(job.out / "resume")
    step = _step(point)
    history = History(job.out / "history.jsonl", step)
    late = job.deadline_s is not None and time.time() >= job.deadline_s
    planned: int | None = None
    if not late:
        with _quiet(settings.threads):
            planned, step, late, more = _attempt(job, settings, history, point)
        notes += more
        history.draw(job.out / "loss.vl.json")
    return TrainResult(
        checkpoints=checkpoints.handed_out(job.out / "checkpoints", step),
        steps=step,
        status="deadline" if late else "completed",
        measures=history.measures(),
        history=history.steps(planned),
        notes=tuple(notes),
    )


def _attempt(
    job: TrainJob, settings: SftSettings, history: History, point: Path | None
) -> tuple[int, int, bool, list[str]]:
    """Return the steps planned and made, whether the deadline ended it, and notes."""
    from transformers import AutoTokenizer, PrinterCallback, set_seed

    from trainers.watch import Watch

    set_seed(job.seed)
    tokenizer = AutoTokenizer.from_pretrained(job.base)
    talks = dataset.conversations(job, settings.data)
    refuse_overlap([talk.messages for talk in talks], settings.disjoint_from)
    rows = dataset.encoded(tokenizer, talks, settings.max_length)
    write_json(job.out / "data.json", rows.facts | {"disjoint_from": settings.disjoint_from})
    notes = [f"{rows.shortened} of {len(rows.rows)} conversations were cut to {settings.max_length} tokens"]
    notes = notes if rows.shortened else []
    epochs = settings.epochs if settings.steps is None else settings.steps * settings.batch / len(rows.rows)
    order = dataset.ordered(rows.rows, settings.batch, epochs, Random(job.seed))
    planned = settings.steps or math.ceil(len(order) / settings.batch)
    if _step(point) >= planned:
        return planned, planned, False, notes
    watch = Watch(job, history, job.out)
    chosen = [rows.rows[i] for i in order]
    trainer = _trainer(job, settings, planned, chosen, tokenizer, watch)
    trainer.remove_callback(PrinterCallback)
    with boundary(TrainError, f"training in {job.out}"):
        trainer.train(resume_from_checkpoint=str(point) if point else None)
    return planned, trainer.state.global_step, watch.late, notes


def _trainer(
    job: TrainJob, settings: SftSettings, planned: int, rows: list[dataset.Row], tokenizer: Any, watch: "Watch"
) -> Any:
    from datasets import Dataset
    from trl import SFTTrainer

    columns = {"input_ids": [row.tokens for row in rows], "labels": [row.labels for row in rows]}
    return SFTTrainer(
        model=_model(job, settings),
        args=_arguments(job, settings, planned),
        train_dataset=Dataset.from_dict(columns),
        processing_class=tokenizer,
        peft_config=_peft_config(settings.lora),
        callbacks=[watch],
    )


def _model(job: TrainJob, settings: SftSettings) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    device = "bfloat16" if torch.cuda.is_available() else "float32"
    dtype = getattr(torch, device if settings.dtype == "auto" else settings.dtype)
    return AutoModelForCausalLM.from_pretrained(job.base, dtype=dtype)


def _peft_config(lora: Lora | None) -> Any:
    if lora is None:
        return None
    from peft import LoraConfig

    targets = lora.targets if isinstance(lora.targets, str) else list(lora.targets)
    alpha = lora.alpha or 2 * lora.r
    return LoraConfig(
        r=lora.r, lora_alpha=alpha, lora_dropout=lora.dropout, target_modules=targets, task_type="CAUSAL_LM"
    )


def _arguments(job: TrainJob, settings: SftSettings, planned: int) -> Any:
    import torch
    from trl import SFTConfig

    micro = settings.micro_batch or settings.batch
    return SFTConfig(
        output_dir=str(job.out / "resume"),
        seed=job.seed,
        data_seed=job.seed,
        max_steps=planned,
        train_sampling_strategy="sequential",  # the rows are in order already, and so a resumed run skips to its place
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=settings.batch // micro,
        learning_rate=settings.peak,
        lr_scheduler_type=settings.schedule,
        warmup_steps=math.ceil(settings.warmup * planned),
        weight_decay=settings.weight_decay,
        adam_beta2=0.98,
        max_grad_norm=1.0,
        bf16=torch.cuda.is_available(),
        use_cpu=not torch.cuda.is_available(),
        gradient_checkpointing=settings.gradient_checkpointing,
        save_steps=settings.save_every,
        save_total_limit=2,
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        max_length=None,
    )


def _step(point: Path | None) -> int:
    return int(point.name.rpartition("-")[2]) if point else 0


@contextmanager
def _quiet(threads: int) -> Iterator[None]:
    """Train on so many threads, without the libraries' own warnings and progress lines."""
    import torch
    from transformers.utils import logging

    before, level = torch.get_num_threads(), logging.get_verbosity()
    torch.set_num_threads(threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        torch.set_num_threads(before)
        logging.set_verbosity(level)
