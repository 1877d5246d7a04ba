"""The days of a month, as cron counts them."""

from datetime import date, timedelta


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def weekday(day: date) -> int:
    """Return the day of the week; Sunday is 0."""
    return day.isoweekday() % 7


def next_month(year: int, month: int) -> tuple[int, int]:
    """Return the year and the month that come next."""
    return (year + 1, 1) if month == 12 else (year, month + 1)


def first_of_next_month(day: date) -> date:
    return date(*next_month(day.year, day.month), 1)


def days_from(start: date, count: int) -> list[date]:
    """Return so many days in a row, the first included."""
    return [start + timedelta(days=number) for number in range(count)]
