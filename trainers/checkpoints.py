"""Checkpoints of a training that may be killed at any moment: which are whole, where to go on, what is handed out.

`resume/checkpoint-N` is what the trainer goes on from: weights, optimizer, order, random states. Once all of it is
written, `whole.json` with the digest of each file is put beside it. `checkpoints/step_N` is what others are given: the
weights, with configuration and tokenizer of the base.
"""

import json
import os
import shutil
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path

from arena.errors import RecordError
from arena.execute.training import Checkpoint
from arena.records.files import read_json, write_json

WHOLE = "whole.json"
OF_THE_BASE = (
    "config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja",
    "special_tokens_map.json", "vocab.json", "merges.txt", "added_tokens.json",
)  # fmt: skip
WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "adapter_config.json")


def seal(folder: Path) -> None:
    """Say that a checkpoint is whole."""
    files = {file.name: _digest(file) for file in sorted(folder.iterdir()) if file.is_file() and file.name != WHOLE}
    write_json(folder / WHOLE, {"files": files})


def damage(folder: Path) -> str | None:
    """Return what is wrong with a checkpoint, or none."""
    try:
        files = read_json(folder / WHOLE)["files"]
    except RecordError:
        return "it was not written to its end"
    for name, digest in files.items():
        file = folder / name
        if not file.is_file():
            return f"{name} is missing"
        if _digest(file) != digest:
            return f"{name} is damaged"
    return None


def resume_point(resume: Path) -> tuple[Path | None, list[str]]:
    """Return the last whole checkpoint, and a note on each later one; those are removed."""
    notes: list[str] = []
    for step, folder in sorted(_steps(resume, "checkpoint-"), reverse=True):
        wrong = damage(folder)
        if wrong is None:
            return folder, notes
        notes.append(f"the checkpoint of step {step} was passed over: {wrong}")
        shutil.rmtree(folder)
    return None, notes


def hand_out(folder: Path, base: Path, target: Path) -> None:
    """Put the weights of a sealed checkpoint where they stay, with the base's own configuration and tokenizer.

    The trainer's libraries write a generation config and other stop tokens by themselves. Which tokens end a turn is
    decided by packaging, on the record, and so is left as the base has it.
    """
    draft = target.with_name(f".{target.name}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    for pattern in WEIGHTS:
        for file in folder.glob(pattern):
            _link(file, draft / file.name)
    if not (draft / "adapter_config.json").exists():
        for name in OF_THE_BASE:
            if (base / name).is_file():
                shutil.copyfile(base / name, draft / name)
        _set_dtype(draft / "config.json", folder / "config.json")
    shutil.rmtree(target, ignore_errors=True)
    draft.replace(target)


def handed_out(folder: Path, most: int) -> tuple[Checkpoint, ...]:
    """Return every checkpoint up to a step, in order; the last one is `final`."""
    kept = sorted((step, path) for step, path in _steps(folder, "step_") if step <= most)
    return tuple(
        Checkpoint("final" if i == len(kept) else f"step_{step}", step, path) for i, (step, path) in enumerate(kept, 1)
    )


def _steps(folder: Path, prefix: str) -> Iterator[tuple[int, Path]]:
    for path in folder.glob(f"{prefix}*"):
        if path.is_dir() and (number := path.name.removeprefix(prefix)).isdigit():
            yield int(number), path


def _set_dtype(config: Path, trained: Path) -> None:
    """Declare the weights' own type: it may not be the one in which the base was stored."""
    values, now = json.loads(config.read_text("utf-8")), json.loads(trained.read_text("utf-8"))
    key = "torch_dtype" if "torch_dtype" in values else "dtype"
    if values.get(key) != now.get("dtype"):
        write_json(config, values | {key: now.get("dtype")})


def _link(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
