"""What an expression says, in words."""

from cronmatch.fields import DAYS, MONTHS
from cronmatch.schedule import Schedule

FULL_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def describe(schedule: Schedule) -> str:
    """Return a sentence such as `at 06:30 on Monday and Friday`."""
    parts = [describe_times(schedule), describe_days(schedule), describe_months(schedule)]
    return " ".join(part for part in parts if part)


def describe_times(schedule: Schedule) -> str:
    times = schedule.times()
    if len(times) == 24 * 60:
        return "every minute"
    if len(times) <= 3:
        return "at " + join([time.strftime("%H:%M") for time in times])
    if len(schedule.hours) == 24 and len(schedule.minutes) == 1:
        return f"every hour at minute {min(schedule.minutes)}"
    return f"{len(times)} times a day from {times[0]:%H:%M} to {times[-1]:%H:%M}"


def describe_days(schedule: Schedule) -> str:
    """Say which days; where either kind will do, both are named."""
    parts = []
    if not schedule.any_day:
        parts.append("on the " + join([ordinal(day) for day in sorted(schedule.days)]))
    if not schedule.any_weekday:
        parts.append("on " + join([FULL_DAYS[day] for day in sorted(schedule.weekdays)]))
    return " or ".join(parts)


def describe_months(schedule: Schedule) -> str:
    if len(schedule.months) == 12:
        return ""
    return "in " + join([MONTHS[month - 1].title() for month in sorted(schedule.months)])


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th and so on."""
    if number in (11, 12, 13):
        return f"{number}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def join(words: list[str]) -> str:
    """Join words with commas, and the last one with `and`."""
    if len(words) == 1:
        return words[0]
    return ", ".join(words[:-1]) + " and " + words[-1]


def short_days(values: frozenset[int]) -> str:
    """Write days of the week as a field, with ranges where three or more follow one another."""
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ",".join(write_run(run) for run in runs)


def write_run(run: list[int]) -> str:
    if len(run) >= 3:
        return f"{DAYS[run[0]]}-{DAYS[run[-1]]}"
    return ",".join(DAYS[value] for value in run)
