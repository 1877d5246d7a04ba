"""Spans of a day as people write them: `09:30-11:00`."""

from spantree.span import Span

DAY = 24 * 60


def parse_time(text: str) -> int:
    """Return minutes since midnight; `24:00` is the end of the day."""
    hours, colon, minutes = text.strip().partition(":")
    if not hours.isdigit() or (colon and not minutes.isdigit()):
        raise ValueError(f"{text!r} is no time; write it as 09:30")
    total = int(hours) * 60 + int(minutes or 0)
    if int(minutes or 0) > 59 or total > DAY:
        raise ValueError(f"{text!r} is no time of a day")
    return total


def parse_span(text: str, label: str = "") -> Span:
    """Read a span; one that ends before it starts goes over midnight."""
    start, dash, end = text.partition("-")
    if not dash:
        raise ValueError(f"{text!r} is no span; write it as 09:30-11:00")
    first, last = parse_time(start), parse_time(end)
    if last <= first:
        last += DAY
    return Span(first, last, label)


def format_time(minutes: float) -> str:
    """Write minutes since midnight; what is over midnight starts anew."""
    if minutes == DAY:
        return "24:00"
    hours, rest = divmod(int(minutes) % DAY, 60)
    return f"{hours:02}:{rest:02}"


def format_span(span: Span) -> str:
    return f"{format_time(span.start)}-{format_time(span.end)}"


def format_length(span: Span) -> str:
    """Write how long a span is, such as `1 h 30 min`."""
    hours, minutes = divmod(int(span.length), 60)
    parts = [f"{hours} h"] if hours else []
    if minutes or not hours:
        parts.append(f"{minutes} min")
    return " ".join(parts)
