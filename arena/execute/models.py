"""Where a cell's base model lies on this machine, and that it is the one that the cell names."""

import os
from importlib.resources import files
from pathlib import Path

from arena.errors import CellError
from arena.spec.weights import weights_digest

SHIPPED = {"arena/tiny-coder": "tiny_coder"}


def find_base(name: str, revision: str, folder: Path) -> Path:
    """Return the folder of a base model: shipped with arena, a path, or a snapshot that the hub's cache holds.

    Raises
    ------
    CellError
        It is not on this machine, or its weights are not those of `revision`.
    """
    found = _locate(name, revision, folder)
    if revision.startswith("sha256:"):
        digest = f"sha256:{weights_digest(found).digest}"
        if digest != revision:
            raise CellError(
                f"model {name!r}: its weights at {found} have the digest {digest}, the cell says {revision}; "
                "name the revision that you mean"
            )
    return found


def shipped_revision(name: str) -> str:
    """Return the revision of a model that ships with arena."""
    return f"sha256:{weights_digest(_shipped(name)).digest}"


def _shipped(name: str) -> Path:
    return Path(str(files("arena") / "models" / SHIPPED[name]))


def _locate(name: str, revision: str, folder: Path) -> Path:
    if name in SHIPPED:
        return _shipped(name)
    for path in (folder / name, Path(name)):
        if (path / "config.json").is_file():
            return path.resolve()
    snapshot = _hub_cache() / f"models--{name.replace('/', '--')}" / "snapshots" / revision
    if (snapshot / "config.json").is_file():
        return snapshot
    raise CellError(
        f"model {name!r}: not on this machine; looked for a folder of this name, and for {snapshot}. "
        f"Fetch it first, for example with `hf download {name} --revision {revision}`"
    )


def _hub_cache() -> Path:
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    return Path(os.environ.get("HF_HUB_CACHE", home / "hub"))
