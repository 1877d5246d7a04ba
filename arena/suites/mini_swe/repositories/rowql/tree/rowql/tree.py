"""What a query consists of."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Value:
    value: Any


@dataclass(frozen=True)
class Column:
    name: str


@dataclass(frozen=True)
class Unary:
    operator: str
    operand: "Expression"


@dataclass(frozen=True)
class Binary:
    operator: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Member:
    """`operand in (choices)`"""

    operand: "Expression"
    choices: tuple["Expression", ...]


@dataclass(frozen=True)
class Aggregate:
    function: str
    operand: "Expression | None"
    """None for `count(*)`."""


Expression = Value | Column | Unary | Binary | Member | Aggregate


@dataclass(frozen=True)
class Item:
    """One column of the result."""

    name: str
    expression: Expression


@dataclass(frozen=True)
class Order:
    expression: Expression
    descending: bool = False


@dataclass(frozen=True)
class Query:
    items: tuple[Item, ...] = ()
    """Empty for `*`."""
    where: Expression | None = None
    group: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = field(default=0)


def has_aggregate(expression: Expression) -> bool:
    """Say whether an aggregate stands anywhere in an expression."""
    match expression:
        case Aggregate():
            return True
        case Unary(_, operand):
            return has_aggregate(operand)
        case Binary(_, left, right):
            return has_aggregate(left) or has_aggregate(right)
        case Member(operand, choices):
            return has_aggregate(operand) or any(has_aggregate(choice) for choice in choices)
        case _:
            return False
