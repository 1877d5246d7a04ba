import pytest

from cronmatch.fields import DAY, HOUR, MINUTE, MONTH, WEEKDAY, parse_field, weekdays


def values(text, kind=MINUTE):
    return sorted(parse_field(text, kind))


def test_a_star_is_everything():
    assert values("*", HOUR) == list(range(24))


def test_a_star_for_months_starts_at_one():
    assert values("*", MONTH) == list(range(1, 13))


def test_a_value():
    assert values("7") == [7]


def test_a_list():
    assert values("30,0,15") == [0, 15, 30]


def test_a_range_includes_its_end():
    assert values("1-4") == [1, 2, 3, 4]


def test_a_range_of_one_value():
    assert values("4-4") == [4]


def test_steps_over_everything():
    assert values("*/20") == [0, 20, 40]


def test_steps_start_at_the_fields_first_value():
    assert values("*/10", DAY) == [1, 11, 21, 31]


def test_steps_over_a_range():
    assert values("8-18/4", HOUR) == [8, 12, 16]


def test_steps_from_a_value_go_to_the_end():
    assert values("5/20") == [5, 25, 45]


def test_lists_may_hold_ranges_and_steps():
    assert values("1,10-12,*/30") == [0, 1, 10, 11, 12, 30]


def test_months_have_names():
    assert values("jan,dec", MONTH) == [1, 12]


def test_days_have_names():
    assert values("sun,sat", WEEKDAY) == [0, 6]


def test_names_may_be_upper_case():
    assert values("MON-Wed", WEEKDAY) == [1, 2, 3]


def test_sunday_is_0_or_7():
    assert weekdays(parse_field("5-7", WEEKDAY)) == {5, 6, 0}


@pytest.mark.parametrize(("text", "kind"), [("60", MINUTE), ("24", HOUR), ("0", DAY), ("13", MONTH), ("8", WEEKDAY)])
def test_values_out_of_range_are_refused(text, kind):
    with pytest.raises(ValueError, match=f"{kind.name}: {text} is not between"):
        parse_field(text, kind)


@pytest.mark.parametrize(("text", "kind"), [("59", MINUTE), ("23", HOUR), ("31", DAY), ("12", MONTH), ("7", WEEKDAY)])
def test_the_last_value_is_allowed(text, kind):
    assert values(text, kind) == [int(text)]


@pytest.mark.parametrize("text", ["", "x", "-1", "1,", "1.5"])
def test_nonsense_is_refused(text):
    with pytest.raises(ValueError, match="is no value"):
        parse_field(text, MINUTE)


@pytest.mark.parametrize("text", ["*/0", "*/", "*/x"])
def test_steps_are_above_zero(text):
    with pytest.raises(ValueError, match="a step is a number above 0"):
        parse_field(text, MINUTE)


def test_ranges_go_up():
    with pytest.raises(ValueError, match="'5-1' is the wrong way round"):
        parse_field("5-1", MINUTE)
