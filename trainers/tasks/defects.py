"""Defects that can be injected into a function: where, what right code they replace, and how an issue would name them."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from trainers.tasks import wording

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
}  # fmt: skip
WRONG_ARITHMETIC = {
    "+": ("-", "-", "-", "*"), "-": ("+", "+", "+", "*"), "*": ("+", "+", "/", "-"), "/": ("*", "//", "+", "-"),
    "//": ("/", "%", "*"), "%": ("//", "/", "*"),
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
WRONG_COMPARISONS = {
    "<": ("<=", "<=", ">"), "<=": ("<", "<", ">="), ">": (">=", ">=", "<"), ">=": (">", ">", "<="), "==": ("!=",),
    "!=": ("==",), "in": ("not in",), "not in": ("in",), "is": ("is not",), "is not": ("is",),
}  # fmt: skip
SWAPS = (
    ("lower", "upper", "title", "capitalize", "casefold", "swapcase"),
    ("strip", "lstrip", "rstrip"),
    ("startswith", "endswith"),
    ("split", "rsplit"),
    ("partition", "rpartition"),
    ("find", "rfind"),
    ("index", "rindex"),
    ("append", "extend"),
    ("add", "discard"),
    ("pop", "popleft"),
    ("append", "appendleft"),
    ("keys", "values", "items"),
    ("ljust", "rjust", "center"),
    ("isdigit", "isalpha", "isalnum", "isspace"),
    ("isupper", "islower"),
    ("encode", "decode"),
    ("removeprefix", "removesuffix"),
    ("floor", "ceil"),
    ("update", "intersection_update", "difference_update"),
    ("union", "intersection", "difference"),
)
CALL_SWAPS = (("min", "max"), ("any", "all"), ("sum", "len"), ("sorted", "list"), ("int", "float"))


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
        self.names = sorted({n.id for n in ast.walk(function) if isinstance(n, ast.Name)} & self._locals())
        self.fields = sorted(
            {n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute) and _of_self(n) and not n.attr.startswith("__")}
        )

    def _locals(self) -> set[str]:
        stored = {n.id for n in ast.walk(self.function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return stored | {a.arg for a in self.function.args.args} - {"self", "cls"}

    def sites(self) -> list[Site]:
        self.role: dict[int, tuple[str, str]] = {}
        found: list[Site] = []
        docstring = ast.get_docstring(self.function) is not None
        for statement in self.function.body[docstring:]:
            for node in ast.walk(statement):
                self._note(node)
                found += self._of_node(node)
        found += self._defaults()
        return [s for s in found if "\n" not in self.text[s.start : s.end] and s.bad != self.text[s.start : s.end]]

    def _note(self, node: ast.AST) -> None:
        """Remember what is done with the parts of a node, for the wording; parents come before their parts."""
        if isinstance(node, ast.Return) and node.value is not None:
            self.role[id(node.value)] = ("return", "returns")
        elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            self.role[id(node.right)] = {
                "+": ("add", "adds"), "-": ("subtract", "subtracts"), "*": ("multiply by", "multiplies by"),
                "/": ("divide by", "divides by"), "//": ("divide by", "divides by"), "%": ("take modulo", "takes modulo"),
            }[ARITHMETIC[type(node.op)]]  # fmt: skip
        elif isinstance(node, ast.AugAssign) and type(node.op) in (ast.Add, ast.Sub):
            self.role[id(node.value)] = ("add", "adds") if isinstance(node.op, ast.Add) else ("subtract", "subtracts")
        elif isinstance(node, ast.Compare):
            self.role |= {id(part): ("compare with", "compares with") for part in node.comparators}
            self.role[id(node.left)] = ("compare", "compares")
        elif isinstance(node, ast.Call):
            verbs = ("pass", "passes")
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name | ast.Constant):
                known = {
                    "split": ("split at", "splits at"), "rsplit": ("split at", "splits at"), "join": ("join", "joins"),
                    "append": ("append", "appends"), "get": ("look up", "looks up"), "startswith": ("look for", "looks for"),
                    "endswith": ("look for", "looks for"), "partition": ("split at", "splits at"), "add": ("add", "adds"),
                    "replace": ("replace", "replaces"), "strip": ("strip", "strips"),
                }  # fmt: skip
                verbs = known.get(node.func.attr, verbs)
                if node.func.attr == "join":
                    self.role[id(node.func.value)] = ("join with", "joins with")
            elif isinstance(node.func, ast.Name) and node.func.id == "range":
                verbs = ("count from", "counts from") if len(node.args) > 1 else ("count to", "counts to")
            self.role |= {id(part): verbs for part in node.args[:1]}
            self.role |= {id(part): ("pass", "passes") for part in node.args[1:]}
            self.role |= {id(part.value): ("pass", "passes") for part in node.keywords}
        elif isinstance(node, ast.Subscript):
            self.role[id(node.slice)] = ("look up", "looks up")
        elif isinstance(node, ast.Assign):
            name = self.source(node.targets[0])
            self.role[id(node.value)] = (f"set `{name}` to", f"sets `{name}` to") if len(name) < 20 else ("use", "uses")
        elif isinstance(node, ast.For):
            self.role[id(node.iter)] = ("go over", "goes over")

    def offset(self, node: ast.AST, end: bool = False) -> int:
        if end:
            return self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined,no-any-return]
        return self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined,no-any-return]

    def source(self, node: ast.AST) -> str:
        return self.text[self.offset(node) : self.offset(node, end=True)]

    def thing(self, node: ast.AST) -> str:
        return wording.thing(node, self.source(node), self.rng)

    def _between(self, left: ast.AST, right: ast.AST, token: str) -> tuple[int, int] | None:
        start = self.offset(left, end=True)
        gap = self.text[start : self.offset(right)]
        at = gap.find(token)
        return (start + at, start + at + len(token)) if at >= 0 and "\n" not in gap else None

    def _of_node(self, node: ast.AST) -> Iterator[Site]:
        if isinstance(node, ast.BinOp):
            yield from self._arithmetic(node)
        elif isinstance(node, ast.AugAssign):
            yield from self._augmented(node)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from self._comparison(node)
        elif isinstance(node, ast.BoolOp):
            yield from self._boolean(node)
        elif isinstance(node, ast.Call):
            yield from self._call(node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            start = self.offset(node)
            yield Site("not", start, self.offset(node.operand), "", wording.negation(self.thing(node.operand), missing=True))
        elif isinstance(node, ast.If | ast.While):
            yield from self._condition(node.test)
        elif isinstance(node, ast.Constant):
            yield from self._literal(node)
        elif isinstance(node, ast.Subscript):
            yield from self._subscript(node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from self._name(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and _of_self(node):
            yield from self._field(node)
        elif isinstance(node, ast.Return) and node.value is not None:
            yield from self._returned(node.value)

    def _arithmetic(self, node: ast.BinOp) -> Iterator[Site]:
        right = ARITHMETIC.get(type(node.op))
        if right is None or _is_text(node.left) or _is_text(node.right):
            return
        span = self._between(node.left, node.right, right)
        if span is None:
            return
        wrong = self.rng.choice(WRONG_ARITHMETIC[right])
        operands = self.thing(node.left), self.thing(node.right)
        yield Site("arithmetic", *span, wrong, wording.arithmetic(wrong, right, *operands))
        if isinstance(node.right, ast.Constant) and node.right.value == 1 and right in "+-":
            start, end = self.offset(node.left, end=True), self.offset(node, end=True)
            yield Site("off_by_one", start, end, "", wording.missing_step(right, operands[0]))

    def _augmented(self, node: ast.AugAssign) -> Iterator[Site]:
        right = ARITHMETIC.get(type(node.op))
        span = right and self._between(node.target, node.value, f"{right}=")
        if not right or not span or _is_text(node.value):
            return
        wrong = self.rng.choice([o for o in WRONG_ARITHMETIC[right] if o in "+-*"])
        clause = wording.arithmetic(wrong, right, self.thing(node.target), self.thing(node.value))
        yield Site("arithmetic", *span, f"{wrong}=", clause)

    def _comparison(self, node: ast.Compare) -> Iterator[Site]:
        right = COMPARISONS[type(node.ops[0])]
        span = self._between(node.left, node.comparators[0], right)
        if span is None:
            return
        wrong = self.rng.choice(WRONG_COMPARISONS[right])
        clause = wording.comparison(wrong, right, self.thing(node.left), self.thing(node.comparators[0]))
        yield Site("comparison", *span, wrong, clause)

    def _boolean(self, node: ast.BoolOp) -> Iterator[Site]:
        right, wrong = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        left, other = node.values[0], node.values[1]
        span = self._between(left, other, right)
        if span:
            yield Site("boolean", *span, wrong, wording.boolean(wrong, self.thing(left), self.thing(other)))

    def _call(self, node: ast.Call) -> Iterator[Site]:
        function = node.func
        if isinstance(function, ast.Attribute):
            name, end, swaps = function.attr, self.offset(function, end=True), SWAPS
            owner = self.thing(function.value)
        elif isinstance(function, ast.Name):
            name, end, swaps = function.id, self.offset(function, end=True), CALL_SWAPS
            owner = self.thing(node.args[0]) if node.args else ""
        else:
            return
        argument = self.thing(node.args[0]) if node.args else ""
        for group in swaps:
            if name in group:
                wrong = self.rng.choice([other for other in group if other != name])
                clause = wording.method(wrong, name, owner, argument)
                yield Site("method", end - len(name), end, wrong, clause)

    def _condition(self, test: ast.expr) -> Iterator[Site]:
        if not isinstance(test, ast.BoolOp | ast.Compare | ast.UnaryOp):
            start = self.offset(test)
            yield Site("not", start, start, "not ", wording.negation(self.thing(test), missing=False))

    def _literal(self, node: ast.Constant) -> Iterator[Site]:
        start, end, value = self.offset(node), self.offset(node, end=True), node.value
        if isinstance(value, bool):
            yield Site("boolean_literal", start, end, str(not value), wording.literal(str(not value), str(value), self.role.get(id(node))))
        elif isinstance(value, int) and value >= 0 and self.text[start:end].isdigit():
            wrong = str(wording.other_number(value, self.rng))
            yield Site("constant", start, end, wrong, wording.constant(wrong, str(value), self.role.get(id(node))))
        elif isinstance(value, str) and 0 < len(value) <= 12 and self.text[start + 1 : end - 1] == value:
            wrong = wording.other_text(value, self.rng)
            yield Site("text", start + 1, end - 1, wrong, wording.text(wrong, value, self.role.get(id(node))))

    def _subscript(self, node: ast.Subscript) -> Iterator[Site]:
        source = self.source(node.slice)
        ends = {"0": "-1", "-1": "0", "1": "0", ":-1": "1:", "1:": ":-1", "::-1": "::1"}
        if source in ends:
            clause = wording.item(ends[source], source, self.thing(node.value))
            yield Site("index", self.offset(node.slice), self.offset(node.slice, end=True), ends[source], clause)

    def _name(self, node: ast.Name) -> Iterator[Site]:
        others = [name for name in self.names if name != node.id]
        if node.id in self.names and others:
            wrong = self.rng.choice(others)
            yield Site("variable", self.offset(node), self.offset(node, end=True), wrong, wording.variable(wrong, node.id, self.role.get(id(node))))

    def _field(self, node: ast.Attribute) -> Iterator[Site]:
        others = [name for name in self.fields if name != node.attr]
        if others and node.attr in self.fields:
            wrong, end = self.rng.choice(others), self.offset(node, end=True)
            yield Site("variable", end - len(node.attr), end, wrong, wording.variable(f"self.{wrong}", f"self.{node.attr}", self.role.get(id(node))))

    def _returned(self, value: ast.expr) -> Iterator[Site]:
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
                clause = wording.default(argument.arg, wrong, source)
                yield Site("default", self.offset(value), self.offset(value, end=True), wrong, clause)


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
