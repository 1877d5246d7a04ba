"""More of what real code is made of, put into a function: bounds, sums, steps, conditions of two parts, annotations.

Standard library code has few of some kinds of expression in which people make mistakes. What is put in need not make
sense, it only has to be Python.
"""

import ast
from random import Random

from trainers.tasks import words

TYPES = ("int", "str", "float", "bool", "list[str]", "dict[str, int]", "Sequence[int]", "str | None")
RETURNED = (*TYPES, "None", "Iterator[str]")
EXPRESSIONS = (
    *("max({a}, {b})", "min({a}, {b})", "max({b}, {a})", "min({b}, {a})", "max({a})", "min({a})"),
    *("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / {b}", "{a} // {b}", "{a} % {b}"),
    *("{a} + 1", "{a} - 1", "{a} + 1", "{a} - 1", "{a}[0]", "{a}[-1]", "{a}[1:]"),
    *("{a}.strip()", "{a}.lower()", "{a}.split()", "{a} if {b} else None"),
)
CONDITIONS = (
    *("{a} and {o}", "{a} or {o}", "{a} and not {o}", "{a} or not {o}", "not {o}", "not {o}", "{o}"),
    *("{o} < {s}", "{o} <= {s}", "{o} > {s}", "{o} >= {s}", "{o} == {s}", "{o} != {s}", "{o} in {s}"),
    *("{a} and {o} > {s}", "{o} < {s} or {a}", "{o} <= {s} and {a}", "{o} is None", "{o} is not None"),
)
CHANCE = 0.7
"""Of a change to a function."""


def enriched(text: str, function: ast.FunctionDef, rng: Random) -> str:
    """Return the file with one expression of a function made richer, or as it was."""
    if rng.random() > CHANCE:
        return text
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[(node.end_lineno or 0) - 1] + (
            node.end_col_offset or 0
        )

    values, tests, names = _places(function)
    if tests and rng.random() < 0.45:
        node, make = rng.choice(tests), _condition
    elif values:
        node, make = rng.choice(values), _expression
    else:
        return text
    start, end = span(node)
    if "\n" in text[start:end] or end - start > 24:
        return text
    return text[:start] + make(text[start:end], names, rng) + text[end:]


def _places(function: ast.FunctionDef) -> tuple[list[ast.expr], list[ast.expr], list[str]]:
    values: list[ast.expr] = []
    tests: list[ast.expr] = []
    names = {argument.arg for argument in function.args.args} - {"self", "cls"}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if isinstance(node, ast.Return | ast.Assign) and isinstance(node.value, ast.Name | ast.Attribute | ast.Call):
            values.append(node.value)
        if isinstance(node, ast.Call):
            values += [part for part in node.args if isinstance(part, ast.Name | ast.Attribute)]
        if isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.BoolOp):
            tests.append(node.test)
    return values, tests, sorted(names)


def _expression(source: str, names: list[str], rng: Random) -> str:
    other = rng.choice([*names, words.word(rng), f"self.{words.word(rng)}", f"len({words.word(rng)})", "2", "10"])
    return rng.choice(EXPRESSIONS).replace("{a}", source).replace("{b}", other)


def _condition(source: str, names: list[str], rng: Random) -> str:
    other = rng.choice([*names, words.word(rng), f"self.{words.word(rng)}"])
    size = rng.choice([*names, f"len({words.word(rng)})", "0", "1", "10", f"self.{words.word(rng)}"])
    return rng.choice(CONDITIONS).replace("{a}", source).replace("{o}", other).replace("{s}", size)


def annotated(text: str, tree: ast.Module, rng: Random) -> str:
    """Return the file with annotations at the functions whose heads stand on one line."""
    if rng.random() < 0.4:
        return text
    lines = text.splitlines(keepends=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.returns is None:
            row = node.lineno - 1
            if lines[row].rstrip().endswith("):"):
                lines[row] = _annotated_head(lines[row], node, rng)
    return "".join(lines)


def _annotated_head(line: str, node: ast.FunctionDef, rng: Random) -> str:
    head = line.rstrip()[:-1] + f" -> {rng.choice(RETURNED)}:\n"
    for argument in reversed(node.args.args):
        if argument.arg not in ("self", "cls") and argument.lineno == node.lineno and argument.annotation is None:
            end = argument.end_col_offset or 0
            rest = head[end:]
            rest = f" = {rest[1:]}" if rest.startswith("=") else rest
            head = f"{head[:end]}: {rng.choice(TYPES)}{rest}"
    return head
