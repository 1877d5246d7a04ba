"""Pydantic's validation errors, said as a person would: place, key, what was got, the nearest valid key."""

import difflib
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from arena.spec.problem import KeyPath, Problem, shown

if TYPE_CHECKING:
    from arena.spec.document import Document

_MOST_LISTED = 16
_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "finite_number": "a finite number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "model_type": "keys and values",
    "string_type": "a text",
    "tuple_type": "a list",
}
_BOUNDS = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal"})


def wrong(text: str, at: KeyPath = ()) -> PydanticCustomError:
    """Return the error that a validator raises: `text` is the whole message, `at` the key below the validated value."""
    return PydanticCustomError("arena", "{text}", {"text": text, "at": at})


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the word that was most likely meant, or none."""
    close = difflib.get_close_matches(word, list(words), n=1, cutoff=0.6)
    return close[0] if close else None


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return `; did you mean 'x'?`, or the list of what there is."""
    words = sorted(set(words))
    close = nearest(word, words)
    if close is not None:
        return f"; did you mean '{close}'?"
    more = ", …" if len(words) > _MOST_LISTED else ""
    return f"; there are: {', '.join(words[:_MOST_LISTED])}{more}" if words else ""


def problems_of(document: "Document", model: type[BaseModel], error: ValidationError) -> list[Problem]:
    """Return one problem for each of pydantic's errors."""
    found = error.errors(include_url=False)
    misspelt = {
        (*details["loc"][:-1], meant)
        for details in found
        if details["type"] == "extra_forbidden"
        and (meant := _meant_key(model, _path(document.value, details["loc"]))) is not None
    }
    return [
        _problem(document, model, details)
        for details in found
        if details["type"] != "missing" or details["loc"] not in misspelt
    ]


def _problem(document: "Document", model: type[BaseModel], details: ErrorDetails) -> Problem:
    kind, context = details["type"], details.get("ctx", {})
    path = (*_path(document.value, details["loc"]), *context.get("at", ()))
    got = details["input"]
    if kind == "arena":
        return document.problem(path, str(context["text"]))
    if kind == "extra_forbidden":
        return document.problem(path, f"unknown key, got {shown(got)}{_meant(model, path)}")
    if kind == "missing":
        return document.problem(path, f"missing{_description(model, path)}")
    if kind == "literal_error":
        return document.problem(
            path, f"expected {context['expected']}, got {shown(got)}{_meant_value(model, path, got)}"
        )
    if kind in _EXPECTED:
        return document.problem(path, f"expected {_EXPECTED[kind]}, got {shown(got)}")
    message = details["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
    what = "a number " if kind in _BOUNDS else ""
    return document.problem(path, f"expected {what}{message}, got {shown(got)}")


def _path(value: object, location: Iterable[str | int]) -> KeyPath:
    """Leave out of pydantic's location what names a member of a union and is no key of the document."""
    path: list[str | int] = []
    parts = list(location)
    for index, part in enumerate(parts):
        if isinstance(value, Mapping) and part in value:
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif index < len(parts) - 1 or not isinstance(value, Mapping):
            continue
        path.append(part)
    return tuple(path)


def _meant_key(model: type[BaseModel], path: KeyPath) -> str | None:
    return nearest(str(path[-1]), _beside(model, path))


def _beside(model: type[BaseModel], path: KeyPath) -> list[str]:
    return [name for one in _models_at(model, path[:-1]) for name in _keys(one)]


def _meant(model: type[BaseModel], path: KeyPath) -> str:
    word = str(path[-1])
    elsewhere = [f"{section}.{word}" for section, one in _sections(model) if word in _keys(one)]
    return f"; did you mean '{elsewhere[0]}'?" if elsewhere else did_you_mean(word, _beside(model, path))


def _meant_value(model: type[BaseModel], path: KeyPath, got: object) -> str:
    if not isinstance(got, str):
        return ""
    words = [str(word) for kind in _types_at(model, path) if get_origin(kind) is Literal for word in get_args(kind)]
    close = nearest(got, words)
    return f"; did you mean '{close}'?" if close else ""


def _description(model: type[BaseModel], path: KeyPath) -> str:
    for one in _models_at(model, path[:-1]):
        info = _keys(one).get(str(path[-1]))
        if info is not None and info.description:
            return f": {info.description[0].lower()}{info.description[1:].rstrip('.')}"
    return ""


def _sections(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    for name, info in _keys(model).items():
        for kind in _leaves(info.annotation):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield name, kind


def _keys(model: type[BaseModel]) -> dict[str, Any]:
    return {info.alias or name: info for name, info in model.model_fields.items()}


def _models_at(model: type[BaseModel], path: KeyPath) -> list[type[BaseModel]]:
    return [kind for kind in _types_at(model, path) if isinstance(kind, type) and issubclass(kind, BaseModel)]


def _types_at(model: type[BaseModel], path: KeyPath) -> list[Any]:
    kinds: list[Any] = [model]
    for part in path:
        kinds = [below for kind in kinds for below in _below(kind, part)]
    return kinds


def _below(kind: Any, part: str | int) -> Iterator[Any]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        info = _keys(kind).get(str(part))
        if info is not None:
            yield from _leaves(info.annotation)
    elif get_origin(kind) in (tuple, list) and isinstance(part, int):
        yield from _leaves(get_args(kind)[0])
    elif isinstance(part, str) and len(get_args(kind)) == 2:
        yield from _leaves(get_args(kind)[1])


def _leaves(annotation: Any) -> Iterator[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _leaves(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _leaves(member)
    else:
        yield annotation
