"""No training: the base itself is what the cell evaluates."""

from arena.execute.training import TrainJob, TrainResult
from trainers.settings import Settings, settings_of


class NoSettings(Settings):
    """Nothing can be set."""


def train(job: TrainJob) -> TrainResult:
    settings_of(NoSettings, job.parameters)
    return TrainResult(checkpoints=(), steps=0, status="completed")
