import pytest

from rowql import QueryError, query

ROWS = [
    {"name": "tea", "kind": "drink", "price": 2.5, "count": 4},
    {"name": "Coffee", "kind": "drink", "price": 3, "count": 0},
    {"name": "bread", "kind": "food", "price": 4, "count": 10},
    {"name": "salt", "kind": None, "price": 1, "count": 2},
]


def names(text):
    return [row["name"] for row in query("name " + text, ROWS)]


def value(expression):
    return query(f"{expression} as x", [{"a": 7, "b": None, "t": "Text"}])[0]["x"]


def test_a_star_gives_copies_of_the_rows():
    found = query("*", ROWS)
    assert found == ROWS
    assert found[0] is not ROWS[0]


def test_columns_are_calculated():
    assert query("price * count as total", ROWS)[0] == {"total": 10}


def test_rows_are_filtered():
    assert names("where price >= 3") == ["Coffee", "bread"]


def test_conditions_are_combined():
    assert names("where kind = 'drink' and count > 0 or name = 'salt'") == ["tea", "salt"]


def test_membership():
    assert names("where name in ('tea', 'salt')") == ["tea", "salt"]


def test_no_membership():
    assert names("where kind not in ('drink')") == ["bread", "salt"]


def test_rows_are_ordered():
    assert names("order by price") == ["salt", "tea", "Coffee", "bread"]


def test_rows_are_ordered_the_other_way():
    assert names("order by price desc") == ["bread", "Coffee", "tea", "salt"]


def test_null_comes_first():
    assert names("order by kind, price") == ["salt", "tea", "Coffee", "bread"]


def test_the_second_order_counts_within_the_first():
    assert names("where kind != 'x' order by kind desc, price desc") == ["bread", "Coffee", "tea"]


def test_rows_are_ordered_by_a_named_item():
    found = query("name, price * count as total order by total desc limit 1", ROWS)
    assert found == [{"name": "bread", "total": 40}]


def test_limit():
    assert names("limit 2") == ["tea", "Coffee"]


def test_limit_and_offset():
    assert names("limit 2 offset 1") == ["Coffee", "bread"]


def test_offset_without_limit():
    assert names("offset 3") == ["salt"]


def test_aggregates_without_groups_give_one_row():
    assert query("count(*) as n, max(price) as most", ROWS) == [{"n": 4, "most": 4}]


def test_aggregates_of_nothing():
    assert query("count(*) as n, sum(price) as total where price > 100", ROWS) == [{"n": 0, "total": None}]


def test_groups():
    assert query("kind, count(*) as n, avg(price) as mean group by kind", ROWS) == [
        {"kind": "drink", "n": 2, "mean": 2.75},
        {"kind": "food", "n": 1, "mean": 4},
        {"kind": None, "n": 1, "mean": 1},
    ]


def test_groups_can_be_ordered():
    found = query("kind, min(price) as least group by kind order by least desc", ROWS)
    assert [row["least"] for row in found] == [4, 2.5, 1]


def test_counting_a_column_leaves_null_out():
    assert query("count(kind) as n", ROWS) == [{"n": 3}]


@pytest.mark.parametrize("condition", ["b=1", "b!=1", "1<b", "blike'x'"])
def test_comparing_with_null_is_false(condition):
    assert value(condition.replace("like", " like ")) is False


def test_calculating_with_null_is_null():
    assert value("a + b") is None
    assert value("-b") is None


def test_a_missing_column_is_null():
    assert value("nothing") is None


@pytest.mark.parametrize("expression", ["a/0", "a%0"])
def test_dividing_by_zero_is_null(expression):
    assert value(expression) is None


@pytest.mark.parametrize(("expression", "result"), [("a-3", 4), ("a%4", 3), ("a/2", 3.5), ("2*a", 14), ("t+'!'", "Text!")])
def test_calculations(expression, result):
    assert value(expression) == result


@pytest.mark.parametrize(
    ("pattern", "fits"), [("T%", True), ("%x%", True), ("te_t", True), ("T", False), ("t___t", False), ("%", True)]
)
def test_likeness(pattern, fits):
    assert value(f"t like '{pattern}'") is fits


def test_dots_in_patterns_are_dots():
    assert value("t like 'te.t'") is False


def test_texts_and_numbers_have_no_order():
    with pytest.raises(QueryError, match="have no order"):
        value("a < t")


def test_texts_and_numbers_are_different():
    assert value("a = '7'") is False
