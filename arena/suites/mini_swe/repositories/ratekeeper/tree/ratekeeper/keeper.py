"""One limiter for each key."""

import time
from collections.abc import Callable

from ratekeeper.bucket import TokenBucket
from ratekeeper.decision import Decision, strictest
from ratekeeper.limits import Limit, parse_limit
from ratekeeper.window import SlidingWindow

SWEEP_EVERY = 100

Limiter = TokenBucket | SlidingWindow


class Keeper:
    """Checks keys against one or more limits, which all have to be kept."""

    def __init__(self, *limits: str | Limit, clock: Callable[[], float] = time.monotonic) -> None:
        if not limits:
            raise ValueError("a keeper needs at least one limit")
        self.limits = [parse_limit(limit) if isinstance(limit, str) else limit for limit in limits]
        self.clock = clock
        self.limiters: dict[str, list[Limiter]] = {}
        self.checks = 0

    def check(self, key: str, cost: int = 1) -> Decision:
        """Count an event of this key, if it is allowed."""
        now = self.clock()
        self.checks += 1
        if self.checks % SWEEP_EVERY == 0:
            self.sweep(now)
        if key not in self.limiters:
            self.limiters[key] = [make_limiter(limit, now) for limit in self.limits]
        return strictest([limiter.check(now, cost) for limiter in self.limiters[key]])

    def sweep(self, now: float) -> None:
        """Forget the keys whose limiters are all idle."""
        idle = [key for key, limiters in self.limiters.items() if all(each.is_idle(now) for each in limiters)]
        for key in idle:
            del self.limiters[key]

    def reset(self, key: str) -> None:
        """Forget a key, so that it starts anew; unknown keys are none the worse for it."""
        self.limiters.pop(key, None)

    def __len__(self) -> int:
        return len(self.limiters)


def make_limiter(limit: Limit, now: float) -> Limiter:
    if limit.burst is None:
        return SlidingWindow(limit.count, limit.period)
    return TokenBucket(limit.rate, limit.burst, now)
