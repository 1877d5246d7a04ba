"""Values: where they are found, and how they are written."""

from collections.abc import Mapping, Sequence
from typing import Any

ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


class Missing:
    """What a path leads to that leads nowhere: empty and false."""

    def __str__(self) -> str:
        return ""

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Any:
        return iter(())


MISSING = Missing()


class Raw(str):
    """A text that is not escaped any more."""


def find(values: Mapping[str, Any], path: str) -> Any:
    """Follow a path such as `user.name` or `items.0`."""
    current: Any = values
    for name in path.split("."):
        current = step(current, name)
    return current


def step(value: Any, name: str) -> Any:
    """Return what a name leads to from a value: a key, an index or an attribute that is not private."""
    if isinstance(value, Mapping):
        return value.get(name, MISSING)
    if isinstance(value, Sequence) and name.isdigit():
        return value[int(name)] if int(name) < len(value) else MISSING
    if name.startswith("_"):
        return MISSING
    return getattr(value, name, MISSING)


def write(value: Any) -> str:
    """Write a value into a page: escaped, None as nothing, floats without a needless `.0`."""
    if isinstance(value, Raw):
        return str(value)
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return escape(str(value))


def escape(text: str) -> str:
    return "".join(ESCAPES.get(character, character) for character in text)
