"""One interval."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, order=True)
class Span:
    """From `start` to `end`, which is not in it."""

    start: float
    end: float
    label: str = ""

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise ValueError(f"a span ends after its start, got {self.start} to {self.end}")

    @property
    def length(self) -> float:
        return self.end - self.start

    def holds(self, point: float) -> bool:
        return self.start <= point < self.end

    def overlaps(self, other: "Span") -> bool:
        return self.start < other.end and other.start < self.end

    def touches(self, other: "Span") -> bool:
        """Say whether there is no gap between two spans."""
        return self.start <= other.end and other.start <= self.end

    def covers(self, other: "Span") -> bool:
        return self.start <= other.start and other.end <= self.end

    def common(self, other: "Span") -> "Span | None":
        """Return what two spans have in common, with the own label."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return replace(self, start=start, end=end) if start < end else None

    def joined(self, other: "Span") -> "Span":
        """Return the span from the first start to the last end."""
        return replace(self, start=min(self.start, other.start), end=max(self.end, other.end))

    def shifted(self, distance: float) -> "Span":
        return replace(self, start=self.start + distance, end=self.end + distance)

    def distance(self, point: float) -> float:
        """Return how far a point is from the span; 0 inside."""
        return max(self.start - point, point - self.end, 0)
