"""Filters: functions of a value and perhaps of an argument."""

from collections.abc import Callable
from typing import Any

from stencilet.values import Missing, Raw, escape, write

Filter = Callable[..., Any]


def default(value: Any, other: str = "") -> Any:
    """Return the value, or another one if it is missing, None or empty."""
    if isinstance(value, Missing) or value is None or value == "":
        return other
    return value


def truncate(value: Any, length: str = "20") -> str:
    """Shorten a text to a length, the three dots at its end included."""
    text = str(value)
    if len(text) <= int(length):
        return text
    return text[: int(length) - 3].rstrip() + "..."


def join(values: Any, separator: str = ", ") -> Raw:
    """Join values, each escaped."""
    return Raw(escape(separator).join(write(value) for value in values))


def plural(count: int, ending: str = "s") -> str:
    """Return the ending of a plural, or nothing for one."""
    return "" if count == 1 else ending


def lines(value: Any) -> Raw:
    """Escape a text and turn its line ends into breaks."""
    return Raw(escape(str(value)).replace("\n", "<br>\n"))


def round_to(value: float, digits: str = "0") -> str:
    """Write a number with so many digits after the point."""
    return f"{value:.{int(digits)}f}"


def slug(value: Any) -> str:
    """Make a name for an address: lower case, letters and digits, dashes between words."""
    letters = [character if character.isalnum() else " " for character in str(value).lower()]
    return "-".join("".join(letters).split())


FILTERS: dict[str, Filter] = {
    "default": default,
    "join": join,
    "length": len,
    "lines": lines,
    "lower": lambda value: str(value).lower(),
    "plural": plural,
    "raw": lambda value: Raw(value),
    "round": round_to,
    "slug": slug,
    "title": lambda value: str(value).title(),
    "truncate": truncate,
    "upper": lambda value: str(value).upper(),
}
