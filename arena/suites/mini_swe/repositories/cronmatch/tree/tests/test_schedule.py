from datetime import datetime

import pytest

from cronmatch import parse

MONDAY = datetime(2024, 5, 6, 6, 30)


def next_after(text, moment=MONDAY):
    return parse(text).next_after(moment)


def test_a_time_matches():
    assert parse("30 6 * * *").matches(MONDAY)


@pytest.mark.parametrize("text", ["31_6_*_*_*", "30_7_*_*_*", "30_6_*_6_*", "30_6_7_*_*", "30_6_*_*_tue"])
def test_each_field_restricts(text):
    assert not parse(text.replace("_", " ")).matches(MONDAY)


def test_seconds_do_not_matter():
    assert parse("30 6 * * *").matches(MONDAY.replace(second=59))


def test_one_of_two_restricted_days_will_do():
    schedule = parse("30 6 13 * mon")
    assert schedule.matches(MONDAY)
    assert schedule.matches(datetime(2024, 6, 13, 6, 30))
    assert not schedule.matches(datetime(2024, 5, 7, 6, 30))


def test_a_starred_day_leaves_it_to_the_other():
    schedule = parse("30 6 */2 * mon")
    assert not schedule.matches(datetime(2024, 5, 7, 6, 30))
    assert not schedule.matches(MONDAY)
    assert schedule.matches(datetime(2024, 5, 13, 6, 30))


def test_sunday_may_be_7():
    assert parse("0 0 * * 7").matches(datetime(2024, 5, 5))


def test_the_next_minute():
    assert next_after("* * * * *") == datetime(2024, 5, 6, 6, 31)


def test_a_matching_moment_is_not_its_own_next():
    assert next_after("30 6 * * *") == datetime(2024, 5, 7, 6, 30)


def test_the_same_day_is_searched_first():
    assert next_after("0 6,18 * * *") == datetime(2024, 5, 6, 18, 0)


def test_the_next_day_of_the_week():
    assert next_after("0 9 * * fri") == datetime(2024, 5, 10, 9, 0)


def test_the_next_month():
    assert next_after("0 0 1 * *") == datetime(2024, 6, 1)


def test_the_next_year():
    assert next_after("0 0 1 1 *") == datetime(2025, 1, 1)


def test_months_without_that_day_are_skipped():
    assert next_after("0 0 31 * *", datetime(2024, 5, 31)) == datetime(2024, 7, 31)


def test_leap_days_are_found():
    assert next_after("0 0 29 2 *") == datetime(2028, 2, 29)


def test_the_long_gap_between_leap_days_is_searched():
    assert next_after("0 0 29 2 *", datetime(2096, 3, 1)) == datetime(2104, 2, 29)


def test_impossible_days_are_an_error():
    with pytest.raises(ValueError, match="nothing matches within 8 years"):
        next_after("0 0 31 2 *")


def test_upcoming_times_follow_one_another():
    found = list(parse("0 */12 * * *").upcoming(MONDAY, 3))
    assert found == [datetime(2024, 5, 6, 12), datetime(2024, 5, 7, 0), datetime(2024, 5, 7, 12)]


def test_times_between_include_the_end():
    found = parse("0 * * * *").between(datetime(2024, 5, 6, 6), datetime(2024, 5, 6, 8))
    assert found == [datetime(2024, 5, 6, 7), datetime(2024, 5, 6, 8)]


@pytest.mark.parametrize(
    ("alias", "moment"),
    [
        ("@hourly", datetime(2024, 5, 6, 7)),
        ("@daily", datetime(2024, 5, 7)),
        ("@weekly", datetime(2024, 5, 12)),
        ("@monthly", datetime(2024, 6, 1)),
        ("@yearly", datetime(2025, 1, 1)),
    ],
    ids=["hourly", "daily", "weekly", "monthly", "yearly"],
)
def test_aliases(alias, moment):
    assert next_after(alias) == moment


def test_aliases_may_be_upper_case():
    assert next_after("@Daily") == datetime(2024, 5, 7)


def test_unknown_aliases_are_refused():
    with pytest.raises(ValueError, match="unknown alias '@never'"):
        parse("@never")


@pytest.mark.parametrize("count", [4, 6])
def test_an_expression_has_five_fields(count):
    with pytest.raises(ValueError, match=f"5 fields, got {count}"):
        parse(" ".join("*" * count))
