"""Where a plug-in's module is: ours, an installed package's, or the user's own beside the cell. Runs nothing."""

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from arena.errors import CellError
from arena.spec.files import is_file, is_there, upwards
from arena.spec.invalid import did_you_mean
from arena.spec.model import is_module_function

_OURS = ("scorers", "solvers", "trainers")
_ROOT_MARKS = (".git", "pyproject.toml")


def split(spec: str) -> tuple[str, str]:
    """Return the module and the function of a `module:function`."""
    if not is_module_function(spec):
        raise CellError(f"expected module:function, such as solvers.react:solver, got {spec!r}")
    module, _, function = spec.partition(":")
    return module, function


def find(spec: str, folder: Path | None = None) -> ModuleSpec:
    """Return where a plug-in's module is, running nothing; makes the folder of a module of one's own importable."""
    module_name, _ = split(spec)
    top = module_name.partition(".")[0]
    own = _own_folder(module_name, folder)
    installed = top_level(top)
    if own is not None and installed is None:
        sys.path.append(str(own))
        importlib.invalidate_caches()
    elif own is not None and installed is not None and not _lies_in(installed, own):
        raise CellError(f"{spec}: {top} is in {own} and also in {_places(installed)}; rename the folder of your own")
    found = top_level(top)
    if found is None:
        looked = f"; looked in {folder} and above, and among what is installed" if folder is not None else ""
        raise CellError(f"{spec}: no module {top!r}{looked}{did_you_mean(top, {*_OURS, *_modules_above(folder)})}")
    return _below(spec, module_name, found)


def top_level(name: str) -> ModuleSpec | None:
    """Return where a top-level module is, running nothing."""
    try:
        return importlib.util.find_spec(name)
    except ValueError:
        return None


def _below(spec: str, module_name: str, found: ModuleSpec) -> ModuleSpec:
    for part in module_name.split(".")[1:]:
        parent, locations = found.name, found.submodule_search_locations
        if locations is None:
            raise CellError(f"{spec}: {parent} is one file, {_places(found)}, and holds no module {part!r}")
        below = PathFinder.find_spec(f"{parent}.{part}", list(locations))
        if below is None:
            names = {f"{parent}.{module.name}" for module in pkgutil.iter_modules(list(locations))}
            missing = f"{parent}.{part}"
            raise CellError(f"{spec}: no module {missing!r} in {_places(found)}{did_you_mean(missing, names)}")
        found = below
    return found


def _own_folder(module_name: str, folder: Path | None) -> Path | None:
    """Return the nearest folder, from `folder` upwards to the project's root, that holds the module."""
    top, _, rest = module_name.partition(".")
    first = rest.partition(".")[0] or "__init__"
    for above in _upwards(folder):
        names = (f"{top}.py", f"{top}/__init__.py", f"{top}/{first}.py", f"{top}/{first}/__init__.py")
        if any(is_file(above / name) for name in names):
            return above
    return None


def _upwards(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        return
    for above in upwards(folder):
        yield above
        if any(is_there(above / mark) for mark in _ROOT_MARKS):
            return


def _modules_above(folder: Path | None) -> set[str]:
    return {module.name for module in pkgutil.iter_modules([str(above) for above in _upwards(folder)])}


def _lies_in(found: ModuleSpec, folder: Path) -> bool:
    return any(Path(place).resolve().parent == folder for place in _locations(found))


def _places(found: ModuleSpec) -> str:
    return ", ".join(_locations(found)) or "Python itself"


def _locations(found: ModuleSpec) -> list[str]:
    if found.submodule_search_locations is not None:
        return list(found.submodule_search_locations)
    return [found.origin] if found.origin is not None and found.has_location else []
