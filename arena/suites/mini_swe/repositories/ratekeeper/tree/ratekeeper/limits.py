"""Limits as people write them."""

import re
from dataclasses import dataclass

PERIODS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
PATTERN = re.compile(r"(\d+)\s*/\s*(\w+)(?:\s+burst\s+(\d+))?")


@dataclass(frozen=True)
class Limit:
    count: int
    period: float
    burst: int | None = None

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.count / self.period


def parse_limit(text: str) -> Limit:
    """Read a limit such as `10/minute`, `100/5m` or `10/s burst 3`."""
    match = PATTERN.fullmatch(text.strip().lower())
    if match is None:
        raise ValueError(f"expected COUNT/PERIOD and perhaps `burst N`, got {text!r}")
    count, period, burst = match.groups()
    if int(count) == 0:
        raise ValueError(f"a limit allows at least one event, got {text!r}")
    return Limit(int(count), parse_period(period), int(burst) if burst else None)


def parse_period(text: str) -> float:
    """Read a period in seconds: a word, or a unit with a number before it or not."""
    word = text.removesuffix("s") if text.removesuffix("s") in PERIODS else text
    if word in PERIODS:
        return PERIODS[word]
    number, unit = text[:-1] or "1", text[-1]
    if unit not in UNITS or not number.isdigit():
        raise ValueError(f"unknown period {text!r}; use a word such as minute, or a number and one of s, m, h, d")
    return int(number) * UNITS[unit]


def format_limit(limit: Limit) -> str:
    """Write a limit so that `parse_limit` gives it back."""
    text = f"{limit.count}/{format_period(limit.period)}"
    return text if limit.burst is None else f"{text} burst {limit.burst}"


def format_period(seconds: float) -> str:
    """Write a period with the largest unit that divides it."""
    for unit in ("d", "h", "m"):
        if seconds % UNITS[unit] == 0:
            return f"{int(seconds // UNITS[unit])}{unit}"
    return f"{int(seconds)}s"
