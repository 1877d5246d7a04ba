"""Expressions, carried out on rows."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rowql.errors import QueryError
from rowql.tree import Aggregate, Binary, Column, Expression, Member, Unary, Value

Row = Mapping[str, Any]


def evaluate(expression: Expression, rows: Sequence[Row]) -> Any:
    """Return an expression's value: of an aggregate over all rows, of anything else in the first one."""
    match expression:
        case Value(value):
            return value
        case Column(name):
            return rows[0].get(name) if rows else None
        case Unary(operator, operand):
            return unary(operator, evaluate(operand, rows))
        case Binary("and", left, right):
            return bool(evaluate(left, rows)) and bool(evaluate(right, rows))
        case Binary("or", left, right):
            return bool(evaluate(left, rows)) or bool(evaluate(right, rows))
        case Binary(operator, left, right):
            return binary(operator, evaluate(left, rows), evaluate(right, rows))
        case Member(operand, choices):
            value = evaluate(operand, rows)
            return any(binary("=", value, evaluate(choice, rows)) for choice in choices)
        case Aggregate(function, operand):
            return aggregate(function, operand, rows)


def unary(operator: str, value: Any) -> Any:
    if operator == "not":
        return not value
    return None if value is None else -value


def binary(operator: str, left: Any, right: Any) -> Any:
    """Compare or calculate; with null a comparison is false and a calculation null."""
    if operator in ("=", "!=", "<", "<=", ">", ">=", "like"):
        if left is None or right is None:
            return False
        return like(left, right) if operator == "like" else compare(operator, left, right)
    if left is None or right is None:
        return None
    return calculate(operator, left, right)


def compare(operator: str, left: Any, right: Any) -> bool:
    if operator == "=":
        return bool(left == right)
    if operator == "!=":
        return bool(left != right)
    if isinstance(left, str) != isinstance(right, str):
        raise QueryError(f"{left!r} {operator} {right!r}: a text and a number have no order")
    if operator == "<":
        return bool(left < right)
    if operator == "<=":
        return bool(left <= right)
    if operator == ">":
        return bool(left > right)
    return bool(left >= right)


def calculate(operator: str, left: Any, right: Any) -> Any:
    """Calculate; a division by zero is null, and `+` joins texts."""
    if operator in ("/", "%") and right == 0:
        return None
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "/":
        return left / right
    return left % right


def like(text: str, pattern: str) -> bool:
    """Compare with a pattern: `%` is any text, `_` any one character; case does not matter."""
    parts = {"%": ".*", "_": "."}
    expression = "".join(parts.get(character) or re.escape(character) for character in pattern)
    return re.fullmatch(expression, text, re.IGNORECASE | re.DOTALL) is not None


def aggregate(function: str, operand: Expression | None, rows: Sequence[Row]) -> Any:
    """Carry an aggregate out; nulls are left out, and of nothing all but the count is null."""
    if operand is None:
        return len(rows)
    values = [evaluate(operand, [row]) for row in rows]
    values = [value for value in values if value is not None]
    if function == "count":
        return len(values)
    if not values:
        return None
    if function == "sum":
        return sum(values)
    if function == "min":
        return min(values)
    if function == "max":
        return max(values)
    return sum(values) / len(values)
