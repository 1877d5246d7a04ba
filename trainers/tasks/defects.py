"""Defects that can be injected into a function: where, what right code they replace, and how an issue names them."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from trainers.tasks import swaps, wording
from trainers.tasks.roles import Role, roles


@dataclass(frozen=True)
class Site:
    """A place in the text, `start` to `end` (offsets in the whole text), where `bad` can stand for the right code."""

    family: str
    start: int
    end: int
    bad: str
    clause: Callable[[Random], wording.Clause]


class Finder:
    """Finds the sites of one function; every one lies within one line."""

    def __init__(self, text: str, function: ast.FunctionDef, rng: Random) -> None:
        self.text, self.function, self.rng = text, function, rng
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        nodes = list(ast.walk(function))
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        local = stored | {argument.arg for argument in function.args.args} - {"self", "cls"}
        fields = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _of_self(node)}
        self.names = sorted({node.id for node in nodes if isinstance(node, ast.Name)} & local)
        self.fields = sorted(name for name in fields if not name.startswith("__"))
        self.roles: dict[int, Role] = {}

    def sites(self) -> list[Site]:
        found: list[Site] = []
        docstring = ast.get_docstring(self.function) is not None
        for statement in self.function.body[docstring:]:
            for node in ast.walk(statement):  # parents come before their parts
                self.roles |= roles(node, self.source)
                found += self._of_node(node)
        found += self._defaults()
        return [s for s in found if "\n" not in self.text[s.start : s.end] and s.bad != self.text[s.start : s.end]]

    def offset(self, node: ast.AST, end: bool = False) -> int:
        if end:
            return self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined,no-any-return]
        return self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined,no-any-return]

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.offset(node), self.offset(node, end=True)

    def source(self, node: ast.AST) -> str:
        return self.text[slice(*self.span(node))]

    def thing(self, node: ast.AST) -> str:
        return wording.thing(node, self.source(node), self.rng)

    def role(self, node: ast.AST) -> Role | None:
        return self.roles.get(id(node))

    def _between(self, left: ast.AST, right: ast.AST, token: str) -> tuple[int, int] | None:
        start = self.offset(left, end=True)
        gap = self.text[start : self.offset(right)]
        at = gap.find(token)
        return (start + at, start + at + len(token)) if at >= 0 and "\n" not in gap else None

    def _of_node(self, node: ast.AST) -> Iterator[Site]:
        for kind, find in FINDERS.items():
            if isinstance(node, kind):
                yield from find(self, node)
                return

    def _arithmetic(self, node: ast.BinOp) -> Iterator[Site]:
        right = swaps.ARITHMETIC.get(type(node.op))
        if right is None or _is_text(node.left) or _is_text(node.right):
            return
        span = self._between(node.left, node.right, right)
        if span is None:
            return
        wrong = self.rng.choice(swaps.WRONG_ARITHMETIC[right])
        operands = self.thing(node.left), self.thing(node.right)
        yield Site("arithmetic", *span, wrong, wording.arithmetic(wrong, right, *operands))
        if isinstance(node.right, ast.Constant) and node.right.value == 1 and right in "+-":
            start, end = self.offset(node.left, end=True), self.offset(node, end=True)
            yield Site("off_by_one", start, end, "", wording.missing_step(right, operands[0]))

    def _augmented(self, node: ast.AugAssign) -> Iterator[Site]:
        right = swaps.ARITHMETIC.get(type(node.op))
        span = right and self._between(node.target, node.value, f"{right}=")
        if not right or not span or _is_text(node.value):
            return
        wrong = self.rng.choice([other for other in swaps.WRONG_ARITHMETIC[right] if other in "+-*"])
        clause = wording.arithmetic(wrong, right, self.thing(node.target), self.thing(node.value))
        yield Site("arithmetic", *span, f"{wrong}=", clause)

    def _comparison(self, node: ast.Compare) -> Iterator[Site]:
        right = swaps.COMPARISONS[type(node.ops[0])]
        span = self._between(node.left, node.comparators[0], right)
        if span is None or len(node.ops) > 1:
            return
        wrong = self.rng.choice(swaps.WRONG_COMPARISONS[right])
        clause = wording.comparison(wrong, right, self.thing(node.left), self.thing(node.comparators[0]))
        yield Site("comparison", *span, wrong, clause)

    def _boolean(self, node: ast.BoolOp) -> Iterator[Site]:
        right, wrong = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        left, other = node.values[0], node.values[1]
        span = self._between(left, other, right)
        if span:
            yield Site("boolean", *span, wrong, wording.boolean(wrong, self.thing(left), self.thing(other)))

    def _call(self, node: ast.Call) -> Iterator[Site]:
        match node.func:
            case ast.Attribute(value=value, attr=name):
                groups, owner = swaps.METHODS, self.thing(value)
            case ast.Name(id=name):
                groups, owner = swaps.FUNCTIONS, self.thing(node.args[0]) if node.args else ""
            case _:
                return
        end = self.offset(node.func, end=True)
        argument = self.thing(node.args[0]) if node.args else ""
        for group in groups:
            if name in group:
                wrong = self.rng.choice([other for other in group if other != name])
                yield Site("method", end - len(name), end, wrong, wording.method(wrong, name, owner, argument))

    def _negated(self, node: ast.UnaryOp) -> Iterator[Site]:
        if isinstance(node.op, ast.Not):
            clause = wording.negation(self.thing(node.operand), missing=True)
            yield Site("not", self.offset(node), self.offset(node.operand), "", clause)

    def _condition(self, node: ast.If | ast.While) -> Iterator[Site]:
        if not isinstance(node.test, ast.BoolOp | ast.Compare | ast.UnaryOp):
            start = self.offset(node.test)
            yield Site("not", start, start, "not ", wording.negation(self.thing(node.test), missing=False))

    def _literal(self, node: ast.Constant) -> Iterator[Site]:
        (start, end), value, role = self.span(node), node.value, self.role(node)
        if isinstance(value, bool):
            yield Site("boolean_literal", start, end, str(not value), wording.literal(str(not value), str(value), role))
        elif isinstance(value, int) and value >= 0 and self.text[start:end].isdigit():
            wrong = str(wording.other_number(value, self.rng))
            yield Site("constant", start, end, wrong, wording.constant(wrong, str(value), role))
        elif isinstance(value, str) and 0 < len(value) <= 12 and self.text[start + 1 : end - 1] == value:
            wrong = wording.other_text(value, self.rng)
            yield Site("text", start + 1, end - 1, wrong, wording.text(wrong, value, role))

    def _subscript(self, node: ast.Subscript) -> Iterator[Site]:
        source = self.source(node.slice)
        if source in swaps.ENDS:
            wrong = swaps.ENDS[source]
            yield Site("index", *self.span(node.slice), wrong, wording.item(wrong, source, self.thing(node.value)))

    def _name(self, node: ast.Name) -> Iterator[Site]:
        others = [name for name in self.names if name != node.id]
        if isinstance(node.ctx, ast.Load) and node.id in self.names and others:
            wrong = self.rng.choice(others)
            yield Site("variable", *self.span(node), wrong, wording.variable(wrong, node.id, self.role(node)))

    def _field(self, node: ast.Attribute) -> Iterator[Site]:
        others = [name for name in self.fields if name != node.attr]
        if isinstance(node.ctx, ast.Load) and _of_self(node) and others and node.attr in self.fields:
            wrong, end = self.rng.choice(others), self.offset(node, end=True)
            clause = wording.variable(f"self.{wrong}", f"self.{node.attr}", self.role(node))
            yield Site("variable", end - len(node.attr), end, wrong, clause)

    def _returned(self, node: ast.Return) -> Iterator[Site]:
        value = node.value
        if isinstance(value, ast.Name | ast.Call | ast.Attribute) and self.rng.random() < 0.5:
            end = self.offset(value, end=True)
            extra = self.rng.choice((" + 1", " - 1"))
            yield Site("off_by_one", end, end, extra, wording.extra_step(extra[1], self.thing(value)))

    def _defaults(self) -> Iterator[Site]:
        arguments = self.function.args
        for argument, value in zip(arguments.args[::-1], arguments.defaults[::-1], strict=False):
            source = self.source(value)
            wrong = wording.other_default(source, self.rng)
            if wrong and value.lineno == self.function.lineno:
                yield Site("default", *self.span(value), wrong, wording.default(argument.arg, wrong, source))


FINDERS: dict[type[ast.AST] | tuple[type[ast.AST], ...], Callable[[Finder, Any], Iterator[Site]]] = {
    ast.BinOp: Finder._arithmetic,
    ast.AugAssign: Finder._augmented,
    ast.Compare: Finder._comparison,
    ast.BoolOp: Finder._boolean,
    ast.Call: Finder._call,
    ast.UnaryOp: Finder._negated,
    (ast.If, ast.While): Finder._condition,
    ast.Constant: Finder._literal,
    ast.Subscript: Finder._subscript,
    ast.Name: Finder._name,
    ast.Attribute: Finder._field,
    ast.Return: Finder._returned,
}


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
