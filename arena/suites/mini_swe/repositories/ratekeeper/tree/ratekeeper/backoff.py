"""How long a client waits before it tries again."""

from collections.abc import Iterator


def delays(first: float = 0.5, factor: float = 2.0, longest: float = 30.0, attempts: int = 5) -> Iterator[float]:
    """Yield the waiting times between `attempts` tries: one less than there are tries."""
    delay = first
    for _ in range(attempts - 1):
        yield min(delay, longest)
        delay *= factor


def next_delay(delay: float, retry_after: float | None) -> float:
    """Return what to wait: the own delay, or what the server asks for if that is longer."""
    if retry_after is None:
        return delay
    return max(delay, retry_after)


def parse_retry_after(value: str) -> float | None:
    """Read the header `Retry-After` where it is a number of seconds; anything else is None."""
    text = value.strip()
    return float(text) if text.isdigit() else None


def worst_case(first: float, factor: float, longest: float, attempts: int) -> float:
    """Return how long all attempts may take together."""
    return sum(delays(first, factor, longest, attempts))


def spread(delay: float, share: float, random: float) -> float:
    """Move a delay by up to `share` of it, down or up, by a random number from 0 to 1."""
    return delay * (1 + share * (2 * random - 1))
