import pytest

from rowql import QueryError
from rowql.parsing import parse
from rowql.tree import Aggregate, Binary, Column, Item, Member, Order, Unary, Value, has_aggregate

A, B, C = Column("a"), Column("b"), Column("c")


def where(text):
    return parse("* where " + text).where


def test_a_star_selects_everything():
    assert parse("*").items == ()


def test_items_are_called_as_they_are_written():
    assert parse("a, a + b where c").items == (Item("a", A), Item("a + b", Binary("+", A, B)))


def test_items_can_be_named():
    assert parse("a as x").items == (Item("x", A),)


def test_products_bind_more_than_sums():
    assert where("a + b * c") == Binary("+", A, Binary("*", B, C))


def test_sums_go_from_left_to_right():
    assert where("a - b - c") == Binary("-", Binary("-", A, B), C)


def test_products_go_from_left_to_right():
    assert where("a / b / c") == Binary("/", Binary("/", A, B), C)


def test_parentheses_bind():
    assert where("(a + b) * c") == Binary("*", Binary("+", A, B), C)


def test_and_binds_more_than_or():
    assert where("a or b and c") == Binary("or", A, Binary("and", B, C))


def test_not_binds_more_than_and():
    assert where("not a and b") == Binary("and", Unary("not", A), B)


def test_not_binds_less_than_comparisons():
    assert where("not a = b") == Unary("not", Binary("=", A, B))


def test_minus_signs():
    assert where("-a * b") == Binary("*", Unary("-", A), B)


@pytest.mark.parametrize("operator", ["=", "!=", "<", "<=", ">", ">="])
def test_comparisons(operator):
    assert where(f"a {operator} 1") == Binary(operator, A, Value(1))


def test_membership():
    assert where("a in (1, 'x')") == Member(A, (Value(1), Value("x")))


def test_no_membership():
    assert where("a not in (1)") == Unary("not", Member(A, (Value(1),)))


def test_no_likeness():
    assert where("a not like 'x'") == Unary("not", Binary("like", A, Value("x")))


def test_constants():
    assert where("a in (null, true, false)") == Member(A, (Value(None), Value(True), Value(False)))


def test_numbers_with_a_point():
    assert where("1.5") == Value(1.5)


def test_order():
    assert parse("* order by a desc, b asc, c").order == (Order(A, True), Order(B), Order(C))


def test_limit_and_offset():
    wanted = parse("* limit 10 offset 5")
    assert (wanted.limit, wanted.offset) == (10, 5)


def test_aggregates():
    assert parse("count(*), SUM(a)").items[1].expression == Aggregate("sum", A)


def test_groups():
    assert parse("a, count(*) group by a, b").group == (A, B)


def test_aggregates_are_found_anywhere():
    assert has_aggregate(where("1 + -max(a)"))
    assert has_aggregate(where("a in (1, max(b))"))
    assert not has_aggregate(where("a + b"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: expected a value, got the end"),
        ("a where", "column 8: expected a value, got the end"),
        ("a b", "column 3: expected the end, got b"),
        ("(a", "column 3: expected '\\)', got the end"),
        ("a as 1", "column 6: expected a name, got 1"),
        ("a limit 1.5", "column 9: expected a whole number, got 1.5"),
        ("abs(a)", "unknown function abs; there are count, sum, min, max, avg"),
    ],
    ids=["empty", "cut", "rest", "open", "name", "limit", "function"],
)
def test_mistakes_are_named_with_their_column(text, message):
    with pytest.raises(QueryError, match=message):
        parse(text)
