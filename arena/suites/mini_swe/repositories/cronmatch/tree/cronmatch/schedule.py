"""Whole expressions, and the times that match them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from cronmatch.calendar_days import first_of_next_month, weekday
from cronmatch.fields import DAY, HOUR, MINUTE, MONTH, WEEKDAY, parse_field, weekdays

ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
SEARCH_YEARS = 8


@dataclass(frozen=True)
class Schedule:
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool = True
    """Whether the day of the month is left open."""
    any_weekday: bool = True

    def matches(self, moment: datetime) -> bool:
        """Say whether a time matches; seconds do not matter."""
        return moment.minute in self.minutes and moment.hour in self.hours and self.matches_day(moment.date())

    def matches_day(self, day: date) -> bool:
        """Say whether any time of a day can match: if both kinds of day are restricted, one of them will do."""
        if day.month not in self.months:
            return False
        in_month, in_week = day.day in self.days, weekday(day) in self.weekdays
        if self.any_day or self.any_weekday:
            return in_month and in_week
        return in_month or in_week

    def times(self) -> list[time]:
        """Return the times of a day that match, in order."""
        return [time(hour, minute) for hour in sorted(self.hours) for minute in sorted(self.minutes)]

    def next_after(self, moment: datetime) -> datetime:
        """Return the first matching time after a moment; raises `ValueError` if there is none for years."""
        day = moment.date()
        limit = day.year + SEARCH_YEARS
        while day.year <= limit:
            if day.month not in self.months:
                day = first_of_next_month(day)
                continue
            if self.matches_day(day):
                for each in self.times():
                    found = datetime.combine(day, each)
                    if found > moment:
                        return found
            day += timedelta(days=1)
        raise ValueError(f"nothing matches within {SEARCH_YEARS} years")

    def upcoming(self, moment: datetime, count: int) -> Iterator[datetime]:
        """Yield the next matching times."""
        for _ in range(count):
            moment = self.next_after(moment)
            yield moment

    def between(self, start: datetime, end: datetime) -> list[datetime]:
        """Return the matching times after `start` and up to `end`."""
        found = []
        moment = self.next_after(start)
        while moment <= end:
            found.append(moment)
            moment = self.next_after(moment)
        return found


def parse(text: str) -> Schedule:
    """Read an expression; raises `ValueError` that names the field."""
    fields = expand(text).split()
    if len(fields) != 5:
        raise ValueError(f"an expression has 5 fields, got {len(fields)} in {text!r}")
    minute, hour, day, month, week = fields
    return Schedule(
        parse_field(minute, MINUTE),
        parse_field(hour, HOUR),
        parse_field(day, DAY),
        parse_field(month, MONTH),
        weekdays(parse_field(week, WEEKDAY)),
        is_open(day),
        is_open(week),
    )


def expand(text: str) -> str:
    """Replace an alias by what it stands for."""
    word = text.strip().lower()
    if word.startswith("@"):
        if word not in ALIASES:
            raise ValueError(f"unknown alias {text!r}; there are {', '.join(ALIASES)}")
        return ALIASES[word]
    return text


def is_open(field: str) -> bool:
    """A field that starts with a star restricts nothing, as far as the rule on days is concerned."""
    return field.startswith("*")
