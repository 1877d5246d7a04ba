from pathlib import Path

import pytest

from arena.errors import TrainError
from arena.execute.training import TrainJob
from trainers import none


def test_nothing_is_trained_and_nothing_is_written(tmp_path: Path):
    result = none.train(TrainJob(base=tmp_path, seed=0, parameters={}, deadline_s=None, out=tmp_path / "out"))
    assert (result.checkpoints, result.steps, result.status) == ((), 0, "completed")
    assert not (tmp_path / "out").exists()


def test_a_parameter_is_refused(tmp_path: Path):
    with pytest.raises(TrainError, match="epochs: unknown key"):
        none.train(TrainJob(base=tmp_path, seed=0, parameters={"epochs": 2}, deadline_s=None, out=tmp_path))
