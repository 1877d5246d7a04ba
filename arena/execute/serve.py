"""Start the engine that a cell names, with the weights that packaging prepared."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import cast

from arena.errors import CellError, ServeError, boundary
from arena.execute.serving.serving import Served, ServeSpec, Serving
from arena.spec.plugin import load

ENGINES = {
    "embedded": "arena.execute.serving.embedded:start",
    "scripted": "arena.execute.serving.scripted:start",
}


def engine(name: str) -> Serving:
    """Return the engine's `start`; raises `CellError` for an engine that this arena cannot start."""
    if name not in ENGINES:
        raise CellError(f"the engine {name!r} is not there yet; this arena serves with {', '.join(ENGINES)}")
    return cast(Serving, load(ENGINES[name]))


@contextmanager
def serve(name: str, spec: ServeSpec) -> Iterator[Served]:
    """Serve as long as the block runs."""
    start = engine(name)
    with ExitStack() as stack:
        with boundary(ServeError, f"the {name} engine could not serve {spec.base.name}"):
            served = stack.enter_context(start(spec))
        yield served
