"""The token bucket: a steady rate, with bursts."""

from ratekeeper.decision import Decision

EPSILON = 1e-9


class TokenBucket:
    """Holds at most `capacity` tokens and gains `rate` tokens a second; each event takes some."""

    def __init__(self, rate: float, capacity: float, now: float) -> None:
        if rate <= 0 or capacity <= 0:
            raise ValueError(f"rate and capacity are above 0, got {rate} and {capacity}")
        self.rate = rate
        self.capacity = capacity
        self.tokens = capacity
        self.updated = now

    def refill(self, now: float) -> None:
        """Add what was gained since the last time; a clock that went back adds nothing."""
        elapsed = max(now - self.updated, 0.0)
        self.tokens = min(self.tokens + elapsed * self.rate, self.capacity)
        self.updated = now

    def check(self, now: float, cost: float = 1.0) -> Decision:
        """Take tokens if there are enough."""
        self.refill(now)
        if cost > self.capacity:
            raise ValueError(f"a cost of {cost} is never allowed: the bucket holds {self.capacity}")
        if self.tokens + EPSILON >= cost:
            self.tokens -= cost
            return Decision(True, self.remaining())
        return Decision(False, self.remaining(), (cost - self.tokens) / self.rate)

    def remaining(self) -> int:
        return int(self.tokens + EPSILON)

    def is_idle(self, now: float) -> bool:
        """A bucket that is full again remembers nothing."""
        self.refill(now)
        return self.tokens >= self.capacity
