"""A trainer of one's own, as a real process."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from arena.errors import TrainError
from arena.execute.training import TrainJob
from arena.spec.weights import weights_digest
from trainers import external

SCRIPT = """
import json, os, shutil, sys, time
base, out, seed = sys.argv[1:4]
print("training from", base, "seed", seed)
assert os.environ["ARENA_SEED"] == seed and os.environ["ARENA_OUT"] == out
for step in (10, 20):
    target = os.path.join(out, f"checkpoint-{step}")
    os.makedirs(target, exist_ok=True)
    shutil.copy(os.path.join(base, "config.json"), target)
    data = bytearray(open(os.path.join(base, "model.safetensors"), "rb").read())
    data[-1] = step
    open(os.path.join(target, "model.safetensors"), "wb").write(data)
json.dump({"steps": 20, "loss": 0.5, "note": "fine"}, open(os.path.join(out, "measures.json"), "w"))
"""
COMMAND = [sys.executable, "{script}", "{base}", "{out}", "{seed}"]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    return folder


def job(tmp_path: Path, base: Path, command: object, script: str = SCRIPT, **more: object) -> TrainJob:
    (tmp_path / "train.py").write_text(script)
    place = str(tmp_path / "train.py")
    put = command.replace("{script}", place) if isinstance(command, str) else None
    command = put or [part.replace("{script}", place) for part in command]
    deadline = more.pop("deadline_s", None)
    return TrainJob(
        base=base, seed=7, parameters={"command": command, **more}, deadline_s=deadline, out=tmp_path / "out"
    )


def test_a_command_s_checkpoints_are_handed_on_in_order(tmp_path, base):
    result = external.train(job(tmp_path, base, COMMAND))
    assert [(c.name, c.step) for c in result.checkpoints] == [("step_10", 10), ("final", 20)]
    assert (result.steps, result.status, result.measures["loss"]) == (20, "completed", 0.5)
    digests = {weights_digest(c.path).digest for c in result.checkpoints}
    assert len(digests | {weights_digest(base).digest}) == 3
    assert f"training from {base}" in (tmp_path / "out" / "trainer.log").read_text()


def test_a_shell_text_is_run_with_quoted_values_and_keeps_its_own_braces(tmp_path, base):
    moved = base.rename(tmp_path / "a base; echo no")
    command = f"for x in a b; do echo ${{x}}{{y}}; done && {sys.executable} {{script}} {{base}} {{out}} {{seed}}"
    result = external.train(job(tmp_path, moved, command))
    assert result.steps == 20
    assert "a{y}\nb{y}\n" in (tmp_path / "out" / "trainer.log").read_text()


def test_a_finished_command_is_not_run_again(tmp_path, base):
    first = external.train(job(tmp_path, base, COMMAND))
    again = external.train(job(tmp_path, base, COMMAND, script="raise SystemExit('ran twice')"))
    assert again == first


def test_a_failed_command_is_an_error_that_says_what_it_said(tmp_path, base):
    with pytest.raises(TrainError, match=r"exit code 3; it said: .*out of memory"):
        external.train(job(tmp_path, base, ["sh", "-c", "echo out of memory; exit 3"]))
    assert external.train(job(tmp_path, base, COMMAND)).steps == 20


def test_an_empty_output_is_an_error_that_says_what_was_found(tmp_path, base):
    with pytest.raises(TrainError, match=r"left no checkpoint in .*; found weights.bin"):
        external.train(job(tmp_path, base, "touch {out}/weights.bin"))


def test_a_command_that_is_not_there_is_an_error(tmp_path, base):
    with pytest.raises(TrainError, match="cannot be started: No such file"):
        external.train(job(tmp_path, base, ["no-such-trainer"]))


def test_at_the_deadline_the_command_is_told_and_what_it_saved_counts(tmp_path, base):
    wait = (
        SCRIPT
        + "import signal\nsignal.signal(signal.SIGTERM, lambda *_: (print('told'), sys.exit(0)))\ntime.sleep(60)\n"
    )
    started = time.monotonic()
    result = external.train(job(tmp_path, base, COMMAND, script=wait, deadline_s=time.time() + 3))
    assert (result.status, result.steps) == ("deadline", 20)
    assert time.monotonic() - started < 10
    assert "told" in (tmp_path / "out" / "trainer.log").read_text()


def test_a_command_that_does_not_listen_is_ended_with_all_it_started(tmp_path, base):
    deaf = SCRIPT + (
        "import signal, subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '60'])\nprint('child', child.pid, flush=True)\ntime.sleep(60)\n"
    )
    result = external.train(job(tmp_path, base, COMMAND, script=deaf, deadline_s=time.time() + 3, grace_s=0.5))
    assert result.status == "deadline"
    assert gone(int((tmp_path / "out" / "trainer.log").read_text().split("child ")[1].split()[0]))


def test_what_a_killed_attempt_left_running_is_ended_before_the_next(tmp_path, base):
    script = "import os, sys, time\nprint('pid', os.getpid(), flush=True)\ntime.sleep(60)\n"
    spec = job(tmp_path, base, COMMAND, script=script)
    pid = os.fork()
    if pid == 0:
        external.train(spec)
        os._exit(0)
    log = tmp_path / "out" / "trainer.log"
    while not (log.exists() and "pid" in log.read_text()):
        time.sleep(0.05)
    while not (tmp_path / "out" / "trainer.pid").exists():
        time.sleep(0.05)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    orphan = int(log.read_text().split()[1])
    assert alive(orphan)
    external.train(job(tmp_path, base, COMMAND))
    assert gone(orphan)


def gone(pid: int) -> bool:
    """Whether a process ends within a moment: the kernel takes one to carry out a kill."""
    for _ in range(100):
        if not alive(pid):
            return True
        time.sleep(0.02)
    return False


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
