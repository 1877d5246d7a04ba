"""One field of an expression: the values that it allows."""

from dataclasses import dataclass

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


@dataclass(frozen=True)
class Kind:
    """What a field counts, from `low` to `high`, and the names of its values."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    def value(self, text: str) -> int:
        """Read one value, a number or a name."""
        if text.lower() in self.names:
            return self.names.index(text.lower()) + self.low
        if not text.isdigit():
            raise ValueError(f"{self.name}: {text!r} is no value")
        number = int(text)
        if number < self.low or number > self.high:
            raise ValueError(f"{self.name}: {number} is not between {self.low} and {self.high}")
        return number


MINUTE = Kind("minute", 0, 59)
HOUR = Kind("hour", 0, 23)
DAY = Kind("day", 1, 31)
MONTH = Kind("month", 1, 12, MONTHS)
WEEKDAY = Kind("weekday", 0, 7, DAYS)


def parse_field(text: str, kind: Kind) -> frozenset[int]:
    """Return the values that a field allows."""
    values: set[int] = set()
    for part in text.split(","):
        values |= parse_part(part, kind)
    return frozenset(values)


def parse_part(text: str, kind: Kind) -> set[int]:
    """Return the values of one item of a list: a value, a range, or one of them with a step."""
    span, slash, step = text.partition("/")
    low, high = parse_span(span, kind, open_ended=bool(slash))
    return set(range(low, high + 1, parse_step(step, kind) if slash else 1))


def parse_span(text: str, kind: Kind, open_ended: bool) -> tuple[int, int]:
    """Return the first and last value; a lone value with a step goes on to the field's end."""
    if text == "*":
        return kind.low, kind.high
    first, dash, last = text.partition("-")
    low = kind.value(first)
    if dash:
        high = kind.value(last)
    else:
        high = kind.high if open_ended else low
    if low > high:
        raise ValueError(f"{kind.name}: the range {text!r} is the wrong way round")
    return low, high


def parse_step(text: str, kind: Kind) -> int:
    if not text.isdigit() or int(text) == 0:
        raise ValueError(f"{kind.name}: a step is a number above 0, got {text!r}")
    return int(text)


def weekdays(values: frozenset[int]) -> frozenset[int]:
    """Return days of the week with Sunday always as 0."""
    return frozenset(value % 7 for value in values)
