"""Things that are built once on a machine and kept under the key of what they were built from."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from arena.errors import SandboxError


def cache_folder() -> Path:
    """Return `$ARENA_CACHE`, or `arena` in the user's cache folder."""
    named = os.environ.get("ARENA_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "arena"


def built_once(target: Path, build: Callable[[Path], None]) -> Path:
    """Return `target`, letting `build` fill a path beside it first where it is missing.

    It is renamed when it is whole, so that a reader sees all of it or nothing; of two builders the first wins.
    """
    if target.exists():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as scratch:
            made = Path(scratch) / target.name
            build(made)
            made.rename(target)
    except OSError as cause:
        if not target.exists():
            raise SandboxError(f"{target}: cannot be built: {cause}; set ARENA_CACHE to a folder with room") from cause
    return target
