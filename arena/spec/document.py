"""A YAML file as the arena reads it: JSON values, each with the file and line where it stands.

`extends: FILE` names one parent. Mappings are merged key by key; anything else replaces the parent's value, and null
takes the parent's value away. Every value keeps the place of the file in which it stands.
"""

import codecs
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from arena.errors import CellError
from arena.spec.canonical import JSON
from arena.spec.invalid import problems_of
from arena.spec.problem import KeyPath, Place, Problem, refuse, shown
from arena.spec.yaml_text import Reading, read_yaml

MAX_BYTES = 256 * 1024

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


def read_text_file(path: Path) -> str:
    """Return the text of a small UTF-8 file; anything else is a `CellError` that says what it is."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise CellError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise CellError(f"{path}: is a folder; name a file in it") from None
    except (OSError, ValueError) as error:
        raise CellError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > MAX_BYTES:
        raise CellError(f"{path}: larger than {MAX_BYTES // 1024} KiB; this is no file that a person wrote for arena")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise CellError(f"{path}: is UTF-16 text; save it as UTF-8")
    if b"\0" in content:
        raise CellError(f"{path}: is not text (it holds NUL bytes)")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise CellError(f"{path}:{line}: is not UTF-8 text, got the byte 0x{byte:02x}; save it as UTF-8") from None
    if not text.strip():
        raise CellError(f"{path}: is empty")
    return text


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
    if not path.is_file():
        refuse([document.problem(("extends",), f"no such file, got {shown(parent)}; looked for {path}")])
    return merge(_with_parents(_read_one(path), chain), own)


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
