"""Results as JSON: dataclasses become objects, intervals their two ends, and what is not there is null."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

INTERVAL = ("lo", "hi")
"""Fields of `stats.Interval`, known by them here: reading a run's state needs no statistics."""

Json = Any
"""What `json` writes: None, bool, int, float, str, list, dict."""


def json_form(value: object) -> Json:
    """Return `value` as plain JSON; raises `TypeError` for what has no such form."""
    if is_dataclass(value) and not isinstance(value, type):
        form = {field.name: json_form(getattr(value, field.name)) for field in fields(value)}
        return list(form.values()) if tuple(form) == INTERVAL else form
    if isinstance(value, Mapping):
        return {str(key): json_form(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [json_form(item) for item in value]
    return _scalar(value)


def _scalar(value: object) -> Json:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        # -0.0 and NaN are artefacts of arithmetic that no reader should meet.
        return value + 0.0 if math.isfinite(value) else None
    raise TypeError(f"no JSON form for {type(value).__name__}")
