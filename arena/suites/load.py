"""Suites by name: the built-in ones, or a user's own `module:function`."""

from typing import cast

from arena.errors import CellError
from arena.spec.plugin import load
from arena.suites.suite import Suite

BUILT_IN = {
    "mini_swe": "arena.suites.mini_swe:suite",
    "mini_terminal": "arena.suites.mini_terminal:suite",
}


def load_suite(name: str) -> Suite:
    """Return the suite that a cell names; raises `CellError` for a name that is none."""
    spec = BUILT_IN.get(name, name)
    if ":" not in spec:
        raise CellError(
            f"suite {name!r}: no such suite; built in are {', '.join(sorted(BUILT_IN))}; "
            "a suite of your own is named `module:function`"
        )
    return cast(Suite, load(spec)())
