"""What a plug-in is made of: a digest over its files, and the versions of the packages that it uses.

Covered is the whole top-level package of the plug-in's module, with the modules beside it that it imports; for a
package that was installed as part of a distribution, every file of the distribution; for a part of the engine, such as
a suite of ours, its own folder. Sources are read, never run.
"""

import ast
import hashlib
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import arena
from arena.errors import CellError
from arena.spec.canonical import digest_of
from arena.spec.modules import find, split, top_level

_OURS = "arena-bench"
_OUR_PACKAGES = frozenset({"arena", "scorers", "solvers", "stats", "trainers"})
_INSTALLED = ("site-packages", "dist-packages")
_CACHES = frozenset(
    {"__pycache__", ".git", ".hypothesis", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
)
_CACHED = (".pyc", ".pyo", ".swp", "~")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class PluginSource:
    """A plug-in as it stood when it was read."""

    spec: str
    digest: str
    """The sha256 over its files and its packages' versions."""
    files_digest: str
    """The sha256 over its files alone: their relative names and their bytes."""
    files: tuple[tuple[str, str], ...]
    """Relative path and sha256 of every file, sorted."""
    packages: tuple[tuple[str, str], ...]
    """Name and version of every distribution that it requires or imports, sorted."""


def source_digest(spec: str, folder: Path | None = None) -> PluginSource:
    """Return what the plug-in `spec` is made of; finds it as `load` does, without importing it."""
    module, _ = split(spec)
    found = find(spec, folder)
    top = module.partition(".")[0]
    files, packages = _closure(found) if top == "arena" else _closure(_top_level(top))
    hashes = tuple((name, _sha256(path)) for name, path in sorted(files.items()))
    versions = tuple(sorted(packages.items()))
    files_digest = digest_of(hashes)
    return PluginSource(spec, digest_of([files_digest, versions]), files_digest, hashes, versions)


def _closure(plugin: ModuleSpec) -> tuple[dict[str, Path], dict[str, str]]:
    """Return the files of a module and of what it imports beside it, and the packages of all of these."""
    top = plugin.name.partition(".")[0]
    if top not in _OUR_PACKAGES and _is_installed(plugin):
        return dict(_files_of_distribution(top)), {**_required(top), **_versions([top])}
    files = dict(_files(plugin))
    packages: dict[str, str] = {}
    waiting, seen = _imported(files.values()) - {top}, {top}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        found = top_level(name)
        if name in _OUR_PACKAGES:
            packages[_OURS] = arena.__version__
        elif found is not None and _is_installed(found):
            packages.update(_versions([name]))
        elif found is not None:
            own = dict(_files(found))
            files.update(own)
            waiting |= _imported(own.values()) - seen
    return files, packages


def _top_level(name: str) -> ModuleSpec:
    found = top_level(name)
    assert found is not None, name
    return found


def _is_installed(found: ModuleSpec) -> bool:
    return any(part in _INSTALLED for root in _roots(found) for part in root.parts)


def _roots(found: ModuleSpec) -> list[Path]:
    if found.submodule_search_locations is not None:
        return [Path(place) for place in found.submodule_search_locations]
    return [Path(found.origin)] if found.origin is not None and found.has_location else []


def _files(found: ModuleSpec) -> Iterator[tuple[str, Path]]:
    for root in _roots(found):
        if root.is_file():
            yield root.name, root
        for folder, below, names in os.walk(root):
            below[:] = [name for name in below if name not in _CACHES]
            for name in names:
                path = Path(folder, name)
                if not name.endswith(_CACHED):
                    yield path.relative_to(root.parent).as_posix(), path


def _imported(files: Iterable[Path]) -> set[str]:
    """Return the top-level modules that Python files import, anywhere in them, less the standard library's."""
    names: set[str] = set()
    for path in files:
        for node in ast.walk(_tree(path)) if path.suffix == ".py" else ():
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names


def _tree(path: Path) -> ast.AST:
    """Parse a file; one that Python cannot read imports nothing, and its bytes are in the digest all the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(path.read_bytes())
        except (OSError, RecursionError, SyntaxError, ValueError):
            return ast.Module([], [])


@cache
def _providers() -> Mapping[str, list[str]]:
    return packages_distributions()


@cache
def _distribution(name: str) -> Distribution | None:
    """Return the distribution that provides a module: most have its name, which spares a look at all of them."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        providers = _providers().get(name)
        return distribution(providers[0]) if providers else None


def _versions(names: Iterable[str]) -> dict[str, str]:
    found = [_distribution(name) for name in names]
    return {_normal(one.metadata["Name"]): one.version for one in found if one is not None}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _files_of_distribution(name: str) -> Iterator[tuple[str, Path]]:
    found = _distribution(name)
    if found is None:
        return
    for file in found.files or ():
        path = Path(str(found.locate_file(file)))
        if not _CACHES.intersection(file.parts) and not file.name.endswith(_CACHED) and path.is_file():
            yield file.as_posix(), path


def _required(name: str) -> dict[str, str]:
    found = _distribution(name)
    plain = [line for line in (found.requires if found else None) or () if "extra ==" not in line]
    return _versions(match[0] for line in plain if (match := _REQUIREMENT.match(line)) is not None)


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CellError(f"{path}: a plug-in's file cannot be read: {error.strerror}") from None
