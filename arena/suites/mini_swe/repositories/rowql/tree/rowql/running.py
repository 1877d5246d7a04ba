"""Queries, carried out."""

from collections.abc import Iterable, Sequence
from typing import Any

from rowql.evaluating import Row, evaluate
from rowql.parsing import parse
from rowql.tree import Expression, Item, Order, Query, has_aggregate


def query(text: str, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the rows that a query selects, as new dictionaries."""
    return run(parse(text), list(rows))


def run(wanted: Query, rows: Sequence[Row]) -> list[dict[str, Any]]:
    if wanted.where is not None:
        rows = [row for row in rows if evaluate(wanted.where, [row])]
    groups = grouped(wanted, rows)
    for order in reversed(wanted.order):
        groups.sort(key=lambda group, order=order: sort_key(group, order, wanted.items), reverse=order.descending)
    end = None if wanted.limit is None else wanted.offset + wanted.limit
    return [project(wanted.items, group) for group in groups[wanted.offset : end]]


def grouped(wanted: Query, rows: Sequence[Row]) -> list[list[Row]]:
    """Return the groups that become one row each: without grouping, every row by itself."""
    if wanted.group:
        return group_by(wanted.group, rows)
    if any(has_aggregate(item.expression) for item in wanted.items):
        return [list(rows)]
    return [[row] for row in rows]


def group_by(expressions: Sequence[Expression], rows: Sequence[Row]) -> list[list[Row]]:
    """Put rows with equal values together, in the order in which the values first come."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = tuple(evaluate(expression, [row]) for expression in expressions)
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def sort_key(group: Sequence[Row], order: Order, items: Sequence[Item]) -> tuple[bool, Any]:
    """Return what a group is sorted by; an item's name stands for the item, and null comes first."""
    named = {item.name: item.expression for item in items}
    expression = named.get(getattr(order.expression, "name", ""), order.expression)
    value = evaluate(expression, group)
    return (value is not None, 0 if value is None else value)


def project(items: Sequence[Item], group: Sequence[Row]) -> dict[str, Any]:
    """Make a row of the result."""
    if not items:
        return dict(group[0])
    return {item.name: evaluate(item.expression, group) for item in items}
