"""Templates by name."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stencilet.nodes import Node, Scope, render_all
from stencilet.parsing import parse


class Engine:
    """Renders templates, which are parsed once."""

    def __init__(self, source: Mapping[str, str] | Callable[[str], str], **shared: Any) -> None:
        self.source = source
        self.shared = shared
        self.parsed: dict[str, Sequence[Node]] = {}

    def template(self, name: str) -> Sequence[Node]:
        """Return a template's nodes; raises `KeyError` if there is no such template."""
        if name not in self.parsed:
            self.parsed[name] = parse(self.load(name))
        return self.parsed[name]

    def load(self, name: str) -> str:
        if callable(self.source):
            return self.source(name)
        if name not in self.source:
            raise KeyError(f"no template {name!r}; there are {', '.join(sorted(self.source))}")
        return self.source[name]

    def render(self, name: str, /, **values: Any) -> str:
        """Render a template; its own values win over the shared ones."""
        return render_all(self.template(name), Scope({**self.shared, **values}, self.template))

    def clear(self) -> None:
        """Forget what was parsed, so that changed templates are read again."""
        self.parsed.clear()


def folder(path: Path, ending: str = ".html") -> Callable[[str], str]:
    """Return a source that reads templates from a folder."""

    def load(name: str) -> str:
        file = path / f"{name}{ending}"
        if not file.is_file():
            raise KeyError(f"no template {name!r} in {path}")
        return file.read_text(encoding="utf8")

    return load
