"""What a template consists of, and how it is rendered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from stencilet.errors import TemplateError
from stencilet.filters import FILTERS
from stencilet.values import find, write

MAX_DEPTH = 16


@dataclass(frozen=True)
class Scope:
    """The values that a node sees, and how it comes to other templates."""

    values: Mapping[str, Any]
    template: Callable[[str], "Sequence[Node]"]
    depth: int = 0

    def with_values(self, **more: Any) -> "Scope":
        return Scope({**self.values, **more}, self.template, self.depth)

    def deeper(self) -> "Scope":
        return Scope(self.values, self.template, self.depth + 1)


class Node(Protocol):
    def render(self, scope: Scope) -> str: ...


@dataclass(frozen=True)
class Text:
    text: str

    def render(self, scope: Scope) -> str:
        return self.text


@dataclass(frozen=True)
class Call:
    """A filter and its argument, if it has one."""

    name: str
    argument: str | None = None


@dataclass(frozen=True)
class Output:
    path: str
    calls: tuple[Call, ...]
    line: int

    def render(self, scope: Scope) -> str:
        return write(self.value(scope))

    def value(self, scope: Scope) -> Any:
        """Return the value with all filters applied, from left to right."""
        value = find(scope.values, self.path)
        for call in self.calls:
            arguments = () if call.argument is None else (call.argument,)
            try:
                value = FILTERS[call.name](value, *arguments)
            except (TypeError, ValueError) as cause:
                raise TemplateError(self.line, f"filter {call.name} does not suit {self.path}: {cause}") from cause
        return value


@dataclass
class If:
    path: str
    negated: bool
    then: list[Node] = field(default_factory=list)
    otherwise: list[Node] = field(default_factory=list)

    def render(self, scope: Scope) -> str:
        holds = bool(find(scope.values, self.path)) != self.negated
        return render_all(self.then if holds else self.otherwise, scope)


@dataclass
class For:
    name: str
    path: str
    then: list[Node] = field(default_factory=list)
    otherwise: list[Node] = field(default_factory=list)

    def render(self, scope: Scope) -> str:
        items = list(find(scope.values, self.path))
        if not items:
            return render_all(self.otherwise, scope)
        parts = []
        for index, item in enumerate(items, start=1):
            loop = {"index": index, "first": index == 1, "last": index == len(items)}
            parts.append(render_all(self.then, scope.with_values(**{self.name: item, "loop": loop})))
        return "".join(parts)


@dataclass(frozen=True)
class Include:
    name: str
    line: int

    def render(self, scope: Scope) -> str:
        if scope.depth >= MAX_DEPTH:
            raise TemplateError(self.line, f"includes are nested deeper than {MAX_DEPTH}; is there a circle?")
        return render_all(scope.template(self.name), scope.deeper())


def render_all(nodes: Sequence[Node], scope: Scope) -> str:
    return "".join(node.render(scope) for node in nodes)
