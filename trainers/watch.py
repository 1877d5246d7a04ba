"""What happens beside the steps of transformers' trainer: progress, the deadline, whole checkpoints."""

import math
import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from arena.errors import TrainError
from arena.execute.training import TrainJob, TrainStep
from trainers import checkpoints
from trainers.history import History, Line

REPORT_EVERY = 5


class Watch(TrainerCallback):  # type: ignore[misc]
    """Follows one attempt."""

    def __init__(self, job: TrainJob, history: History, out: Path) -> None:
        self.job, self.history, self.out = job, history, out
        self.late = False
        self._step_began = self._save_began = time.monotonic()
        self._slowest_step = self._slowest_save = 0.0
        self._tokens = 0.0

    def on_step_begin(self, *_: Any, **__: Any) -> None:
        self._step_began = time.monotonic()

    def on_step_end(
        self, _: TrainingArguments, state: TrainerState, control: TrainerControl, **__: Any
    ) -> TrainerControl:
        self._slowest_step = max(self._slowest_step, time.monotonic() - self._step_began)
        needed = 1.5 * self._slowest_step + 2 * self._slowest_save + 0.5
        if self.job.deadline_s is not None and time.time() + needed >= self.job.deadline_s:
            self.late = state.global_step < state.max_steps
            control.should_training_stop = True
        if control.should_training_stop or state.global_step >= state.max_steps:
            control.should_save = True
        self._save_began = time.monotonic()
        return control

    def on_log(self, _: TrainingArguments, state: TrainerState, __: TrainerControl, **said: Any) -> None:
        logs = said["logs"]
        if "loss" not in logs:
            return
        step, loss = state.global_step, float(logs["loss"])
        if not math.isfinite(loss):
            raise TrainError(
                f"step {step}: the loss is {loss}, so the weights are lost from here on; lower "
                f"recipe.with.learning_rate or look at the rows; the last whole checkpoint is in {self.out / 'resume'}"
            )
        line = Line(step, loss, int(logs["num_tokens"] - self._tokens), time.monotonic() - self._step_began)
        self._tokens = logs["num_tokens"]
        self.history.add(line)
        if step % REPORT_EVERY == 0 or step == state.max_steps:
            self.job.progress(TrainStep(step, state.max_steps, loss, line.tokens / line.seconds))

    def on_save(self, _: TrainingArguments, state: TrainerState, __: TrainerControl, **___: Any) -> None:
        folder = self.out / "resume" / f"checkpoint-{state.global_step}"
        checkpoints.seal(folder)
        checkpoints.hand_out(folder, self.job.base, self.out / "checkpoints" / f"step_{state.global_step}")
        self._slowest_save = max(self._slowest_save, time.monotonic() - self._save_began)
