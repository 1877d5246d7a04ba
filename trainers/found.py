"""What a foreign trainer left in its folder."""

import re
from itertools import islice
from pathlib import Path

from arena.errors import RecordError
from arena.execute.training import Checkpoint
from arena.records.files import read_json

NUMBER = re.compile(r"(\d+)$")
MEASURES = "measures.json"
"""A trainer may leave its own figures here: `{"steps": 900, "loss": 0.4}`."""


def checkpoints(out: Path) -> tuple[Checkpoint, ...]:
    """Return every checkpoint in the folder, in order of steps; the last one is `final`.

    `out` itself, or a folder of it named `final`, comes last; the others go by the number at the end of their names.
    """
    named = [(_order(folder, out), folder) for folder in (out, *sorted(out.iterdir())) if is_checkpoint(folder)]
    named.sort(key=lambda pair: (pair[0], pair[1].name))
    kept = []
    for position, (_, folder) in enumerate(named):
        step = _step(folder, out)
        last = position == len(named) - 1
        kept.append(Checkpoint("final" if last else f"step_{step}" if step else folder.name, step, folder))
    return tuple(kept)


def is_checkpoint(folder: Path) -> bool:
    if (folder / "adapter_config.json").is_file():
        return (folder / "adapter_model.safetensors").is_file()
    return (folder / "config.json").is_file() and any(folder.glob("*.safetensors"))


def steps(kept: tuple[Checkpoint, ...]) -> tuple[int, tuple[str, ...]]:
    """Return how many optimizer steps were made, as far as the trainer said so."""
    known = max(checkpoint.step for checkpoint in kept)
    if known:
        return known, ()
    return 1, (f"the trainer did not say how many steps it made (no {MEASURES} with `steps`); counted as 1",)


def measures(out: Path) -> dict[str, float]:
    """Return the figures that the trainer left, if any; what is no number is left out."""
    figures = _read(out / MEASURES)
    return {name: float(value) for name, value in figures.items() if isinstance(value, int | float)}


def listing(out: Path) -> str:
    names = sorted(path.relative_to(out).as_posix() for path in out.rglob("*"))
    return ", ".join(islice(names, 12)) + (f" and {len(names) - 12} more" if len(names) > 12 else "") or "nothing"


def _order(folder: Path, out: Path) -> int:
    number = NUMBER.search(folder.name)
    return 1 << 62 if folder in (out, out / "final") else int(number[1]) if number else 0


def _step(folder: Path, out: Path) -> int:
    said = _read(folder / "trainer_state.json").get("global_step") or _read(folder / MEASURES).get("steps")
    if not said and folder in (out, out / "final"):
        said = _read(out / MEASURES).get("steps")
    if isinstance(said, int):
        return said
    number = NUMBER.search(folder.name)
    return int(number[1]) if number and folder != out else 0


def _read(file: Path) -> dict[str, object]:
    try:
        data = read_json(file) if file.is_file() else {}
    except RecordError:
        return {}
    return data if isinstance(data, dict) else {}
