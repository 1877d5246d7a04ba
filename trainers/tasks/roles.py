"""What is done with a part of an expression, as a verb: an issue says `adds 1`, `compares with 3`, `returns width`."""

import ast
from collections.abc import Callable

Role = tuple[str, str]
"""Infinitive and third person."""

RETURNED, PASSED = ("return", "returns"), ("pass", "passes")
OPERANDS: dict[type[ast.operator], Role] = {
    ast.Add: ("add", "adds"),
    ast.Sub: ("subtract", "subtracts"),
    ast.Mult: ("multiply by", "multiplies by"),
    ast.Div: ("divide by", "divides by"),
    ast.FloorDiv: ("divide by", "divides by"),
    ast.Mod: ("take modulo", "takes modulo"),
}
ARGUMENTS: dict[str, Role] = {
    "split": ("split at", "splits at"),
    "rsplit": ("split at", "splits at"),
    "partition": ("split at", "splits at"),
    "join": ("join", "joins"),
    "append": ("append", "appends"),
    "get": ("look up", "looks up"),
    "startswith": ("look for", "looks for"),
    "endswith": ("look for", "looks for"),
    "add": ("add", "adds"),
    "replace": ("replace", "replaces"),
    "strip": ("strip", "strips"),
}


def roles(node: ast.AST, source: Callable[[ast.AST], str]) -> dict[int, Role]:  # noqa: PLR0911 - one a kind
    """Return the roles of a node's own parts, by their `id`."""
    match node:
        case ast.Return(value=ast.expr() as value):
            return {id(value): RETURNED}
        case ast.BinOp() if type(node.op) in OPERANDS:
            return {id(node.right): OPERANDS[type(node.op)]}
        case ast.AugAssign(op=ast.Add() | ast.Sub()):
            return {id(node.value): OPERANDS[type(node.op)]}
        case ast.Compare():
            return {id(part): ("compare with", "compares with") for part in node.comparators} | {
                id(node.left): ("compare", "compares")
            }
        case ast.Call():
            return _of_call(node)
        case ast.Subscript():
            return {id(node.slice): ("look up", "looks up")}
        case ast.Assign():
            name = source(node.targets[0])
            return {id(node.value): (f"set `{name}` to", f"sets `{name}` to") if len(name) < 20 else ("use", "uses")}
        case ast.For():
            return {id(node.iter): ("go over", "goes over")}
    return {}


def _of_call(node: ast.Call) -> dict[int, Role]:
    found: dict[int, Role] = {}
    first = PASSED
    match node.func:
        case ast.Attribute(value=ast.Name() | ast.Constant() as owner, attr=method):
            first = ARGUMENTS.get(method, PASSED)
            if method == "join":
                found[id(owner)] = ("join with", "joins with")
        case ast.Name(id="range"):
            first = ("count from", "counts from") if len(node.args) > 1 else ("count to", "counts to")
    found |= {id(part): first for part in node.args[:1]}
    found |= {id(part): PASSED for part in node.args[1:]}
    return found | {id(part.value): PASSED for part in node.keywords}
