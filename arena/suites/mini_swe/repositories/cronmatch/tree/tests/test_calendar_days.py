from datetime import date

import pytest

from cronmatch.calendar_days import days_from, first_of_next_month, is_leap, month_length, weekday


@pytest.mark.parametrize(("year", "leap"), [(2023, False), (2024, True), (1900, False), (2000, True)])
def test_leap_years(year, leap):
    assert is_leap(year) is leap


@pytest.mark.parametrize(("month", "length"), [(1, 31), (2, 28), (4, 30), (7, 31), (8, 31), (11, 30), (12, 31)])
def test_month_lengths(month, length):
    assert month_length(2023, month) == length


def test_february_of_a_leap_year():
    assert month_length(2024, 2) == 29


def test_the_week_starts_with_sunday():
    assert [weekday(day) for day in days_from(date(2024, 5, 5), 7)] == [0, 1, 2, 3, 4, 5, 6]


def test_the_first_of_the_next_month():
    assert first_of_next_month(date(2024, 4, 30)) == date(2024, 5, 1)


def test_january_follows_december():
    assert first_of_next_month(date(2024, 12, 5)) == date(2025, 1, 1)
