import pytest

from gridtext import Column, Table


def lines(table):
    return table.render().split("\n")


def prices(style="plain", **options):
    table = Table([Column("item"), Column("price", align="decimal")], style, **options)
    table.add_row("tea", "2.5")
    table.add_row("coffee", "12.25")
    return table


def test_plain_tables():
    assert lines(prices()) == ["item    price", "tea      2.5", "coffee  12.25"]


def test_ascii_tables():
    assert lines(prices("ascii")) == [
        "+--------+-------+",
        "| item   | price |",
        "+========+=======+",
        "| tea    |  2.5  |",
        "| coffee | 12.25 |",
        "+--------+-------+",
    ]


def test_markdown_tables():
    assert lines(prices("markdown"))[1] == "|--------|-------|"


def test_box_tables_have_rules_between_rows():
    assert lines(prices("box")) == [
        "┌────────┬───────┐",
        "│ item   │ price │",
        "╞════════╪═══════╡",
        "│ tea    │  2.5  │",
        "├────────┼───────┤",
        "│ coffee │ 12.25 │",
        "└────────┴───────┘",
    ]


def test_unknown_styles_are_refused():
    with pytest.raises(ValueError, match="there are ascii, box, markdown, plain"):
        Table(["a"], style="fancy")


def test_titles_make_columns():
    table = Table(["a", "b"])
    table.add_row(1, 2)
    assert lines(table) == ["a  b", "1  2"]


def test_cells_left_out_are_empty():
    table = Table(["a", "b"])
    table.add_row(1)
    assert table.rows == [["1", ""]]


def test_none_is_shown_as_a_dash():
    table = Table(["a", "b"])
    table.add_row(None, 0)
    assert table.rows == [["-", "0"]]


def test_too_many_cells_are_refused():
    with pytest.raises(ValueError, match="the row has 3 cells and the table 2 columns"):
        Table(["a", "b"]).add_row(1, 2, 3)


def test_a_table_without_rows_shows_its_titles():
    assert lines(Table(["a", "b"])) == ["a  b"]


def test_wrapped_cells_make_rows_taller():
    table = Table([Column("note", max_width=6), Column("id")], "ascii")
    table.add_row("over two lines", 1)
    assert lines(table)[3:-1] == ["| over   | 1  |", "| two    |    |", "| lines  |    |"]


@pytest.mark.parametrize("style", ["plain", "ascii", "box"])
def test_tables_fit_a_width(style):
    table = Table(["a", "b"], style, width=20)
    table.add_row("x" * 30, "y" * 5)
    assert max(len(line) for line in lines(table)) == 20


def test_rows_are_sorted_by_text():
    table = Table(["a"])
    for cell in ("pear", "Apple", "fig"):
        table.add_row(cell)
    table.sort("a")
    assert table.rows == [["Apple"], ["fig"], ["pear"]]


def test_rows_are_sorted_by_value():
    table = Table(["a"])
    for cell in ("10", "9", "-1.5"):
        table.add_row(cell)
    table.sort("a")
    assert table.rows == [["-1.5"], ["9"], ["10"]]


def test_separators_do_not_matter_for_the_value():
    table = Table(["a"])
    for cell in ("10,000", "2,000", "9"):
        table.add_row(cell)
    table.sort("a")
    assert table.rows == [["9"], ["2,000"], ["10,000"]]


def test_numbers_come_before_texts():
    table = Table(["a"])
    for cell in ("x", "5"):
        table.add_row(cell)
    table.sort("a")
    assert table.rows == [["5"], ["x"]]


def test_rows_can_be_sorted_in_reverse():
    table = Table(["a", "b"])
    for cell in (1, 3, 2):
        table.add_row("x", cell)
    table.sort("b", reverse=True)
    assert [row[1] for row in table.rows] == ["3", "2", "1"]
