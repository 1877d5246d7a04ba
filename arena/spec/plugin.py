"""Plug-ins by name: a cell says `module:function`, and the function is imported where it is needed."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from arena.errors import CellError, HarnessError, boundary
from arena.spec.invalid import did_you_mean
from arena.spec.modules import find, split
from arena.spec.source import PluginSource, source_digest

__all__ = ["PluginSource", "find", "load", "source_digest", "split"]


def load(spec: str, folder: Path | None = None) -> Callable[..., object]:
    """Import a `module:function`; a module of one's own is looked for in `folder` and in the folders above it."""
    module_name, function = split(spec)
    find(spec, folder)
    with boundary(HarnessError, f"{spec}: importing it failed"):
        module = importlib.import_module(module_name)
    found: object = getattr(module, function, None)
    if not callable(found):
        what = "that is no function" if hasattr(module, function) else f"no function {function!r}"
        raise CellError(f"{spec}: {what} in {module.__file__}{did_you_mean(function, _functions(module))}")
    return found


def _functions(module: ModuleType) -> set[str]:
    return {
        name
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }
