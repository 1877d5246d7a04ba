"""When no further episode may start: the budget is spent, or the user asked to stop.

`Ctrl-C` once lets what is in flight finish and keeps it; twice stops at once.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Literal

StopReason = Literal["budget", "user"]


@dataclass
class Stopping:
    """Asked before every episode; holds the one thing that changes while a run goes on."""

    deadline_s: float | None = None
    """Unix time, or none."""
    outer: "Stopping | None" = None
    """Whoever stops the outer one stops this one too."""
    user_asked: bool = False

    def reason(self) -> StopReason | None:
        """Say why nothing further may start, or nothing."""
        if self.user_asked:
            return "user"
        if self.outer is not None and (reason := self.outer.reason()):
            return reason
        return "budget" if self.deadline_s is not None and time.time() >= self.deadline_s else None


@contextmanager
def stop_on_interrupt(stopping: Stopping, say: Callable[[str], object]) -> Iterator[None]:
    """Take the first `Ctrl-C` (or SIGTERM) as a wish to stop cleanly and the second as an order."""

    def asked(_number: int, _frame: FrameType | None) -> None:
        if stopping.user_asked:
            raise KeyboardInterrupt
        stopping.user_asked = True
        say("stopping: what is in flight is finished and kept; Ctrl-C again stops at once")

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
