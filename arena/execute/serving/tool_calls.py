"""Hermes' and Qwen's tool calls out of the text that a model wrote: `<tool_call>{"name": …}</tool_call>`."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]{1,64})"')
SHOWN = 2000
DEEPEST = 100
"""Inspect's own bound on the nesting of arguments."""


@dataclass(frozen=True)
class WrittenCall:
    """A call as the model wrote it."""

    name: str
    """`unknown` where not even that could be read."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Unknown keys included: whoever runs the call refuses them where the model can see it."""
    error: str | None = None
    """Why it is no call, or none."""


@dataclass(frozen=True)
class Turn:
    """What a model wrote in one turn."""

    content: str
    """All that stands outside calls, blanks at its edges taken off."""
    calls: tuple[WrittenCall, ...]


def read_turn(text: str) -> Turn:
    """Return the content and the calls of a turn; a call that cannot be read is one with an error, never lost.

    A call that the end of the text cuts off counts as closed there: its JSON decides.
    """
    outside = (part.strip() for part in _CALL.split(text)[::2])  # every second part is a call's body
    return Turn("\n".join(filter(None, outside)), tuple(_call(match[1]) for match in _CALL.finditer(text)))


def _call(body: str) -> WrittenCall:
    try:
        return _checked(json.loads(body))
    except RecursionError:
        error = f"nested deeper than {DEEPEST}"
    except ValueError as cause:
        error = str(cause)
    name = _NAME.search(body)
    cut = body if len(body) <= SHOWN else f"{body[:SHOWN]}… ({len(body)} characters)"
    return WrittenCall(
        name=name[1] if name else "unknown",
        error=f"This tool call could not be read: {error}\n{cut.strip()}",
    )


def _checked(call: object) -> WrittenCall:
    """Return the call, or raise `ValueError` that says what a call must be."""
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or not call["name"]:
        raise ValueError('a call is {"name": "...", "arguments": {...}}')
    arguments = call.get("arguments", {})
    if isinstance(arguments, str):
        arguments = json.loads(arguments)
    if not isinstance(arguments, dict):
        raise ValueError(f"arguments must be an object, not {type(arguments).__name__}")
    _check_value([call["name"], arguments], 0)
    return WrittenCall(call["name"], arguments)


def _check_value(value: object, depth: int) -> None:
    """Refuse what no log can hold."""
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("half of a surrogate pair") from None
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_value(key, depth)
            _check_value(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check_value(inner, depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number that JSON does not have")
