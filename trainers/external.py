"""A trainer of one's own: any command that leaves a checkpoint in a folder before a deadline.

`with: {command: [python, train.py, --base, "{base}", --out, "{out}"]}`, or one text for the shell. `{base}`, `{out}`,
`{data}`, `{seed}` and `{deadline}` (Unix time, empty without one) are put in, and are there as `ARENA_BASE` … too.
`{out}` is kept between attempts, so that a command can go on where it was killed. What it prints goes to `trainer.log`.
"""

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Literal

from pydantic import Field

from arena.errors import TrainError
from arena.execute.training import TrainJob, TrainResult
from arena.records.files import read_json, write_json
from trainers import found
from trainers.settings import Settings, settings_of

NAMES = ("base", "out", "data", "seed", "deadline")


class ExternalSettings(Settings):
    command: tuple[str, ...] | str = Field(min_length=1)
    """Arguments, or one text for the shell."""
    data: str | None = None
    """A file, relative to the cell's; the command gets its path."""
    grace_s: float = Field(30.0, ge=0)
    """From SIGTERM to SIGKILL at the deadline; it lies before the deadline where there is room for it."""


def train(job: TrainJob) -> TrainResult:
    """Run the command, or take what a finished attempt of it left."""
    settings = settings_of(ExternalSettings, job.parameters)
    out = job.out / "output"
    out.mkdir(parents=True, exist_ok=True)
    finished = job.out / "finished.json"
    if not finished.exists():
        write_json(finished, _run(job, settings, out))
    facts = read_json(finished)
    checkpoints = found.checkpoints(out)
    if not checkpoints:
        raise TrainError(
            f"{_shown(settings)}: it left no checkpoint in {out}; wanted config.json with *.safetensors, or "
            f"adapter_config.json with adapter_model.safetensors; found {found.listing(out)}; it said: {_tail(job)}"
        )
    steps, notes = found.steps(checkpoints)
    return TrainResult(
        checkpoints=checkpoints,
        steps=steps,
        status=facts["status"],
        measures={"seconds": facts["seconds"], **found.measures(out)},
        notes=notes,
    )


def _run(job: TrainJob, settings: ExternalSettings, out: Path) -> dict[str, object]:
    values = {
        "base": str(job.base.resolve()),
        "out": str(out.resolve()),
        "data": str(job.data.resolve()) if job.data else "",
        "seed": str(job.seed),
        "deadline": "" if job.deadline_s is None else f"{job.deadline_s:.0f}",
    }
    environment = os.environ | {f"ARENA_{name.upper()}": values[name] for name in NAMES}
    _end_earlier(job.out / "trainer.pid")
    started = time.monotonic()
    with (job.out / "trainer.log").open("ab") as log:
        try:
            process = subprocess.Popen(
                _arguments(settings, values),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise TrainError(f"{_shown(settings)}: cannot be started: {error.strerror}") from None
        write_json(job.out / "trainer.pid", {"pid": process.pid, "born": _born(process.pid)})
        try:
            status = _wait(process, job.deadline_s, settings.grace_s)
        finally:
            _end_group(process.pid, signal.SIGKILL)
    if status == "completed" and process.returncode != 0:
        raise TrainError(
            f"{_shown(settings)}: ended with exit code {process.returncode}; it said: {_tail(job)}; "
            f"all of it is in {job.out / 'trainer.log'}"
        )
    return {"status": status, "seconds": round(time.monotonic() - started, 3)}


def _arguments(settings: ExternalSettings, values: dict[str, str]) -> list[str]:
    if isinstance(settings.command, str):
        return ["/bin/sh", "-c", _put_in(settings.command, {k: shlex.quote(v) for k, v in values.items()})]
    return [_put_in(part, values) for part in settings.command]


def _put_in(text: str, values: dict[str, str]) -> str:
    """Replace the known names alone: a command may have braces of its own."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _wait(
    process: "subprocess.Popen[bytes]", deadline_s: float | None, grace_s: float
) -> Literal["completed", "deadline"]:
    if deadline_s is None:
        process.wait()
        return "completed"
    left = max(0.0, deadline_s - time.time())
    grace = min(grace_s, left / 4) if left else grace_s
    try:
        process.wait(left - grace if left else 0)
    except subprocess.TimeoutExpired:
        _end_group(process.pid, signal.SIGTERM)
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            _end_group(process.pid, signal.SIGKILL)
            process.wait()
        return "deadline"
    return "completed"


def _end_group(group: int, how: signal.Signals) -> None:
    try:
        os.killpg(group, how)
    except ProcessLookupError:
        return


def _end_earlier(pid_file: Path) -> None:
    """End what an attempt left running whose own process was killed: two must not write to one folder."""
    if pid_file.exists():
        earlier = read_json(pid_file)
        if _born(earlier["pid"]) == earlier["born"] is not None:
            _end_group(earlier["pid"], signal.SIGKILL)


def _born(pid: int) -> str | None:
    """Return when a process was started, in the kernel's own count, or none where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def _shown(settings: ExternalSettings) -> str:
    command = settings.command
    return f"recipe.with.command {command if isinstance(command, str) else shlex.join(command)!r}"


def _tail(job: TrainJob) -> str:
    log = job.out / "trainer.log"
    text = log.read_bytes()[-2000:].decode("utf-8", "replace").strip() if log.exists() else ""
    return " / ".join(text.splitlines()[-4:]) or "nothing"
