"""One spelling of a JSON value, so that equal values have equal digests."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""A JSON value; what a document holds and what a digest is taken over."""

_EXACT = 2**53


def canonical_json(value: object) -> str:
    """Return `value` as JSON with sorted keys and no spaces; `1.0` is written as `1`, and NaN is refused."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(value: object) -> str:
    """Return the sha256 of a JSON value's canonical spelling, as 64 hex digits."""
    return digest_of_text(canonical_json(value))


def digest_of_text(text: str) -> str:
    """Return the sha256 of a text's UTF-8 bytes, as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> JSON:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        whole = math.isfinite(value) and value.is_integer() and abs(value) < _EXACT
        return int(value) if whole else value
    if isinstance(value, Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise TypeError(f"not a JSON value: {type(value).__name__} {value!r}")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a JSON object's keys are strings, got {key!r}")
    return key
