"""Files that are whole or not there: written beside the target, synced, then moved over it."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.errors import RecordError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a path to write to; what was written replaces `path` when the block ends well, else nothing changes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.chmod(0o644)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_json(path: Path, data: object) -> None:
    with whole_file(path) as draft:
        draft.write_text(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """Return the JSON of `path`; raises `RecordError` naming the place where it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RecordError(f"{path}: no such record") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as damage:
        line = getattr(damage, "lineno", 1)
        raise RecordError(f"{path}:{line}: damaged record ({damage}); restore it or remove it and run again") from None
