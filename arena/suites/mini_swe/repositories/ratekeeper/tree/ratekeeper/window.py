"""Windows: so many events in any period, or in each period of the clock."""

from collections import deque

from ratekeeper.decision import Decision


class SlidingWindow:
    """Allows `limit` events in any stretch of `period` seconds."""

    def __init__(self, limit: int, period: float) -> None:
        self.limit = limit
        self.period = period
        self.events: deque[float] = deque()

    def expire(self, now: float) -> None:
        """Forget events that are a whole period old."""
        while self.events and now - self.events[0] >= self.period:
            self.events.popleft()

    def check(self, now: float, cost: int = 1) -> Decision:
        self.expire(now)
        if cost > self.limit:
            raise ValueError(f"a cost of {cost} is never allowed: the limit is {self.limit}")
        if len(self.events) + cost <= self.limit:
            self.events.extend([now] * cost)
            return Decision(True, self.remaining())
        leaving = self.events[len(self.events) + cost - self.limit - 1]
        return Decision(False, self.remaining(), leaving + self.period - now)

    def remaining(self) -> int:
        return self.limit - len(self.events)

    def is_idle(self, now: float) -> bool:
        self.expire(now)
        return not self.events


class FixedWindow:
    """Allows `limit` events in each period; periods start at multiples of it."""

    def __init__(self, limit: int, period: float) -> None:
        self.limit = limit
        self.period = period
        self.number = 0
        self.count = 0

    def check(self, now: float, cost: int = 1) -> Decision:
        self.turn(now)
        if self.count + cost <= self.limit:
            self.count += cost
            return Decision(True, self.limit - self.count)
        return Decision(False, self.limit - self.count, self.next_start() - now)

    def turn(self, now: float) -> None:
        """Start counting anew if another period has begun."""
        number = int(now // self.period)
        if number != self.number:
            self.number = number
            self.count = 0

    def next_start(self) -> float:
        return (self.number + 1) * self.period
