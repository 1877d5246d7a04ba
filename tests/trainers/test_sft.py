"""Real training of the shipped base, a few steps at a time."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from arena.errors import TrainError
from arena.execute.training import TrainJob, TrainResult, TrainStep
from arena.spec.weights import weights_digest
from trainers import sft
from trainers.tasks import repairs

PARAMETERS = {"batch": 4, "steps": 9, "save_every": 3, "learning_rate": 2e-3}


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("data") / "rows.jsonl"
    short = (row for row in repairs.rows(1) if len(str(row["messages"])) < 1500)
    file.write_text("".join(json.dumps(row) + "\n" for row in islice(short, 24)))
    return file


@pytest.fixture(scope="module")
def job(tiny_coder, data, tmp_path_factory) -> TrainJob:
    out = tmp_path_factory.mktemp("unbroken")
    return TrainJob(base=tiny_coder, seed=3, parameters=PARAMETERS, deadline_s=None, out=out, data=data)


@pytest.fixture(scope="module")
def reports() -> list[TrainStep]:
    return []


@pytest.fixture(scope="module")
def unbroken(job, reports) -> TrainResult:
    return sft.train(replace(job, progress=reports.append))


def digest(result: TrainResult) -> str:
    return weights_digest(result.checkpoints[-1].path).digest


def test_training_leaves_checkpoints_figures_and_other_weights(job, unbroken, reports):
    assert [(c.name, c.step) for c in unbroken.checkpoints] == [("step_3", 3), ("step_6", 6), ("final", 9)]
    assert (unbroken.status, unbroken.steps, unbroken.notes) == ("completed", 9, ())
    assert len({weights_digest(c.path).digest for c in unbroken.checkpoints} | {weights_digest(job.base).digest}) == 4
    assert [step.step for step in unbroken.history] == list(range(1, 10))
    first, last = unbroken.history[0].loss, unbroken.history[-1].loss
    assert first is not None
    assert last is not None
    assert last < first
    assert unbroken.measures["tokens"] > 4 * 9 * 100
    assert unbroken.measures["tokens_per_s"] > 0
    assert [step.step for step in reports] == [5, 9]
    figure = json.loads((job.out / "loss.vl.json").read_text())
    (points,) = figure["datasets"].values()
    assert [point["step"] for point in points] == list(range(1, 10))


def test_a_checkpoint_stops_at_the_same_tokens_as_its_base(job, unbroken):
    final = unbroken.checkpoints[-1].path
    assert not (final / "generation_config.json").exists()
    for name in ("config.json", "tokenizer.json", "chat_template.jinja"):
        assert (final / name).read_bytes() == (job.base / name).read_bytes()


def test_a_killed_training_goes_on_and_ends_with_the_same_weights(job, unbroken, tmp_path):
    killed = replace(job, out=tmp_path)
    program = f"""
        import os, signal
        from pathlib import Path
        from arena.execute.training import TrainJob
        from trainers import sft, watch
        def kill(step):
            if step.step == 5:
                os.kill(os.getpid(), signal.SIGKILL)
        sft.train(TrainJob(base=Path({str(job.base)!r}), seed=3, parameters={PARAMETERS!r}, deadline_s=None,
                           out=Path({str(tmp_path)!r}), data=Path({str(job.data)!r}), progress=kill))
    """
    root = Path(sft.__file__).parent.parent
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, check=False)
    assert done.returncode == -9
    assert [path.name for path in (tmp_path / "resume").glob("checkpoint-*")] == ["checkpoint-3"]
    result = sft.train(killed)
    assert digest(result) == digest(unbroken)
    assert [step.step for step in result.history] == list(range(1, 10))
    assert [step.loss for step in result.history] == [step.loss for step in unbroken.history]


def test_a_damaged_checkpoint_is_passed_over_and_said(job, unbroken, tmp_path):
    shutil.copytree(job.out, tmp_path, dirs_exist_ok=True)
    optimizer = tmp_path / "resume" / "checkpoint-9" / "optimizer.pt"
    optimizer.write_bytes(optimizer.read_bytes()[:1000])
    result = sft.train(replace(job, out=tmp_path))
    assert result.notes == ("the checkpoint of step 9 was passed over: optimizer.pt is damaged",)
    assert digest(result) == digest(unbroken)


def test_a_finished_training_is_not_repeated(job, unbroken):
    again = sft.train(job)
    assert (again.checkpoints, again.steps, again.status) == (unbroken.checkpoints, 9, "completed")
    assert again.measures == unbroken.measures


def test_at_the_deadline_training_saves_and_says_so(job, tmp_path):
    late = replace(job, out=tmp_path, parameters=PARAMETERS | {"steps": 4000, "save_every": 4000})
    result = sft.train(replace(late, deadline_s=time.time() + 10))
    assert result.status == "deadline"
    assert 0 < result.steps < 4000
    assert [(c.name, c.step) for c in result.checkpoints] == [("final", result.steps)]
    passed = sft.train(replace(late, deadline_s=time.time() - 1))
    assert (passed.status, passed.steps, passed.checkpoints) == ("deadline", result.steps, result.checkpoints)


def test_a_deadline_before_the_first_step_leaves_nothing_and_is_no_error(job, tmp_path):
    result = sft.train(replace(job, out=tmp_path, deadline_s=time.time() - 1))
    assert (result.status, result.steps, result.checkpoints, result.history) == ("deadline", 0, (), ())


def test_lora_leaves_an_adapter_over_the_base(job, tmp_path):
    result = sft.train(replace(job, out=tmp_path, parameters=PARAMETERS | {"steps": 2, "lora": {"r": 4, "alpha": 8}}))
    final = result.checkpoints[-1].path
    config = json.loads((final / "adapter_config.json").read_text())
    assert (config["r"], config["lora_alpha"], config["peft_type"]) == (4, 8, "LORA")
    assert (final / "adapter_model.safetensors").is_file()
    assert not (final / "model.safetensors").exists()


def test_a_loss_that_is_no_number_ends_training(job, tmp_path):
    with pytest.raises(TrainError, match=r"step \d+: the loss is (nan|inf).*learning_rate"):
        sft.train(replace(job, out=tmp_path, parameters=PARAMETERS | {"learning_rate": 1e30, "warmup": 0}))


def test_a_long_conversation_is_cut_and_said(job, tmp_path):
    cut = PARAMETERS | {"steps": 1, "max_length": 300}
    result = sft.train(replace(job, out=tmp_path, parameters=cut))
    assert any("conversations were cut to 300 tokens" in note for note in result.notes)
    with pytest.raises(TrainError, match=r"rows.jsonl:1: nothing that the assistant says lies in its first 40 tokens"):
        sft.train(replace(job, out=tmp_path / "shorter", parameters=cut | {"max_length": 40}))


def test_wrong_recipes_are_refused_before_anything_is_trained(job, tmp_path):
    for parameters, said in (
        ({"epochz": 2}, "epochz: unknown key; did you mean 'epochs'"),
        ({"data": {"task": 2}}, "data.* unknown key; did you mean 'tasks'"),
        ({"micro_batch": 3}, "batch 8 is no multiple of it, got 3"),
    ):
        with pytest.raises(TrainError, match=said):
            sft.train(replace(job, out=tmp_path, parameters=parameters))
    with pytest.raises(TrainError, match="nothing to train on"):
        sft.train(replace(job, out=tmp_path, data=None))


def test_rows_of_a_suite_are_refused(job, tmp_path):
    from trainers.disjoint import suite_texts

    issue = next(text for name, text in suite_texts("mini_swe").items() if "(issue)" in name)
    row = {"messages": [{"role": "user", "content": issue}, {"role": "assistant", "content": "Done."}]}
    file = tmp_path / "leaked.jsonl"
    file.write_text(json.dumps(row) + "\n")
    leaked = replace(job, out=tmp_path, data=file, parameters={"disjoint_from": ["mini_swe"]})
    with pytest.raises(TrainError, match=r"1 of 1 training rows share text with mini_swe; row 1 has of mini__"):
        sft.train(leaked)


def test_a_file_that_holds_no_conversations_is_refused(job, tmp_path):
    for line, said in (
        ("{", r"bad.jsonl:1: not JSON"),
        ("[]", "not a conversation"),
        ('{"messages": [{"role": "user", "content": "x"}]}', "the assistant says nothing"),
        ("", "is empty"),
    ):
        file = tmp_path / "bad.jsonl"
        file.write_text(line)
        with pytest.raises(TrainError, match=said):
            sft.train(replace(job, out=tmp_path, data=file))
