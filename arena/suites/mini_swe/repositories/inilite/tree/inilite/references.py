"""References from one value to another: `${key}` and `${section.key}`."""

import re
from collections.abc import Callable

PATTERN = re.compile(r"\$(\$|\{[^}]*\})")
MAX_DEPTH = 10

Lookup = Callable[[str, str], str | None]


def resolve(text: str, section: str, lookup: Lookup, depth: int = 0) -> str:
    """Return `text` with every reference replaced by the value that it names."""
    if depth > MAX_DEPTH:
        raise ValueError(f"references in [{section}] are nested deeper than {MAX_DEPTH}; is there a circle?")

    def replacement(match: re.Match[str]) -> str:
        if match.group(1) == "$":
            return "$"
        target, key = split_reference(match.group(1)[1:-1], section)
        value = lookup(target, key)
        if value is None:
            raise KeyError(f"${{{target}.{key}}} names nothing")
        return resolve(value, target, lookup, depth + 1)

    return PATTERN.sub(replacement, text)


def split_reference(name: str, section: str) -> tuple[str, str]:
    """Return the section and the key that a reference names; without a section it is the one it stands in."""
    target, dot, key = name.rpartition(".")
    if not dot:
        return section, name
    return target, key


def escape(text: str) -> str:
    """Write a text so that `resolve` gives it back."""
    return text.replace("$", "$$")
