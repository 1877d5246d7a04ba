import pytest

from gridtext import Column
from gridtext.columns import shrink


def test_a_column_is_as_wide_as_its_widest_cell():
    assert Column("id").natural_width(["a", "abcde"]) == 5


def test_wide_cells_make_a_column_wide():
    assert Column("id").natural_width(["日本語"]) == 6


def test_a_column_shows_its_title():
    assert Column("identity").natural_width(["a"]) == 8


def test_a_column_has_a_least_width():
    assert Column("id", min_width=6).natural_width(["a"]) == 6


def test_a_column_has_a_greatest_width():
    assert Column("id", max_width=6).natural_width(["a" * 10]) == 6


def test_columns_are_at_most_forty_wide_by_default():
    assert Column("id").natural_width(["a" * 50]) == 40


def test_limits_must_not_contradict():
    with pytest.raises(ValueError, match="at least 5 and at most 4"):
        Column("id", min_width=5, max_width=4)


def test_equal_limits_fix_the_width():
    assert Column("id", min_width=5, max_width=5).natural_width(["a"]) == 5


def test_unknown_alignments_are_refused():
    with pytest.raises(ValueError, match="unknown alignment 'middle'"):
        Column("id", align="middle")


@pytest.mark.parametrize(
    ("align", "line"), [("left", "ab  "), ("right", "  ab"), ("center", " ab ")], ids=["left", "right", "center"]
)
def test_lines_are_placed(align, line):
    assert Column("id", align=align).fit("ab", 4) == [line]


def test_long_cells_are_wrapped():
    assert Column("id").fit("ab cd", 3) == ["ab ", "cd "]


def test_long_cells_can_be_clipped():
    assert Column("id", overflow="clip").fit("ab cd", 3) == ["ab…"]


def test_numbers_keep_their_place_when_they_are_fitted():
    assert Column("id", align="decimal").fit("2.5 ", 6) == ["  2.5 "]


def test_nothing_shrinks_where_there_is_room():
    assert shrink([3, 4], [1, 1], 7) == [3, 4]


def test_the_widest_column_gives_way():
    assert shrink([3, 9], [1, 1], 8) == [3, 5]


def test_equal_columns_give_way_from_the_last():
    assert shrink([5, 5], [1, 1], 9) == [5, 4]


def test_columns_keep_their_minimum():
    assert shrink([9, 5], [8, 1], 10) == [8, 2]


def test_too_little_room_is_an_error():
    with pytest.raises(ValueError, match="need 6 places and only 5"):
        shrink([5, 5], [3, 3], 5)
