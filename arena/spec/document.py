"""A YAML file as the arena reads it: JSON values, each with the file and line where it stands.

`extends: FILE` names one parent. Mappings are merged key by key; anything else replaces the parent's value, and null
takes the parent's value away. Every value keeps the place of the file in which it stands.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from arena.errors import CellError
from arena.spec.canonical import JSON
from arena.spec.files import read_text_file
from arena.spec.invalid import problems_of
from arena.spec.problem import KeyPath, Place, PlacedError, Problem, refuse, shown
from arena.spec.yaml_text import Reading, read_yaml

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Document:
    """A mapping that was read from a file and its parents."""

    path: Path
    value: Mapping[str, JSON]
    places: Mapping[KeyPath, Place]
    """Of a mapping's entry, where its key stands; of a list's item, where the item stands."""
    keys: tuple[str, ...] = ()
    """Top-level keys that stand in the file itself, not in a parent."""

    def place(self, path: KeyPath) -> Place:
        """Return where `path` stands, or the nearest thing above it that stands somewhere."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(self.path, 1))

    def problem(self, path: KeyPath, text: str) -> Problem:
        return Problem(self.place(path), path, text)


def read_document(path: Path) -> Document:
    """Read a YAML file and the parents that it extends."""
    return _with_parents(_read_one(path), ())


def merge(parent: Document, child: Document) -> Document:
    """Return `child` over `parent`: mappings are merged, other values replaced, null takes away."""
    places: dict[KeyPath, Place] = {}
    value = _merged(parent, child, (), places)
    return Document(child.path, value, places, child.keys)


def overlay(base: Document, value: Mapping[str, JSON], source: Document, at: KeyPath) -> Document:
    """Return `base` with a mapping over it that stands at `at` in another document, as a part of that one."""
    size = len(at)
    places = {path[size:]: place for path, place in source.places.items() if path[:size] == at}
    return merge(base, Document(source.path, value, places, base.keys))


def validated(document: Document, model: type[M]) -> M:
    """Return the document as a `model`, or raise a `CellError` with one line for everything that is wrong."""
    try:
        return model.model_validate_json(json.dumps(document.value), strict=True)
    except ValidationError as error:
        refuse(problems_of(document, model, error))


def _read_one(path: Path) -> Document:
    reading = read_yaml(read_text_file(path), path)
    if reading.value is None:
        raise CellError(f"{path}: is empty but for comments")
    if not isinstance(reading.value, dict):
        place = reading.values[()]
        refuse([Problem(place, (), f"expected keys and values, got {shown(reading.value)}")])
    return Document(path, reading.value, places_of(reading), tuple(reading.value))


def places_of(reading: Reading) -> dict[KeyPath, Place]:
    """Return the places of a text's keys, and of its lists' items."""
    items = {path: place for path, place in reading.values.items() if path and isinstance(path[-1], int)}
    return {**reading.keys, **items}


def _with_parents(document: Document, children: tuple[Path, ...]) -> Document:
    parent = document.value.get("extends")
    own = _without_extends(document)
    if parent is None:
        return own
    if not isinstance(parent, str):
        refuse([document.problem(("extends",), f"expected the name of one file, got {shown(parent)}")])
    path = Path(os.path.normpath(document.path.parent / parent))
    chain = (*children, document.path)
    if any(_same_file(path, other) for other in chain):
        names = " → ".join(str(file) for file in (*chain, path))
        refuse([document.problem(("extends",), f"a file cannot extend itself: {names}")])
    try:
        above = _read_one(path)
    except PlacedError:
        raise
    except CellError as error:
        refuse([document.problem(("extends",), f"the parent {' '.join(str(error).splitlines())}")])
    return merge(_with_parents(above, chain), own)


def _same_file(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _without_extends(document: Document) -> Document:
    value = {key: item for key, item in document.value.items() if key != "extends"}
    keys = tuple(key for key in document.keys if key != "extends")
    return Document(document.path, value, document.places, keys)


def _merged(parent: Document, child: Document, at: KeyPath, places: dict[KeyPath, Place]) -> dict[str, JSON]:
    below, above = _mapping_at(parent, at), _mapping_at(child, at)
    result: dict[str, JSON] = {}
    for key in dict.fromkeys((*below, *above)):
        path = (*at, key)
        if key not in above:
            result[key] = below[key]
            _copy_places(parent, path, places)
        elif isinstance(below.get(key), dict) and isinstance(above[key], dict):
            places[path] = child.place(path)
            result[key] = _merged(parent, child, path, places)
        elif key not in below or above[key] is not None:
            result[key] = above[key]
            _copy_places(child, path, places)
    return result


def _mapping_at(document: Document, path: KeyPath) -> Mapping[str, JSON]:
    value: object = document.value
    for key in path:
        assert isinstance(value, Mapping)
        value = value[str(key)]
    assert isinstance(value, Mapping)
    return value


def _copy_places(source: Document, at: KeyPath, places: dict[KeyPath, Place]) -> None:
    size = len(at)
    places.update({path: place for path, place in source.places.items() if path[:size] == at})
