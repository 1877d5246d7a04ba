"""What a long run tells the person who waits for it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol


class Progress(Protocol):
    def stage(self, name: str, said: str) -> None:
        """Say that a stage began, ended or was skipped."""
        ...

    def step(self, name: str, done: int, planned: int | None, said: str) -> None:
        """Say that a stage's work went on; may be called often."""
        ...


@dataclass
class PlainProgress:
    """Lines on a stream, at most one a few seconds for the steps of one stage."""

    write: Callable[[str], object]
    every_s: float = 2.0
    _last: dict[str, float] = field(default_factory=dict)
    _started: float = field(default_factory=time.monotonic)

    def stage(self, name: str, said: str) -> None:
        self._last.pop(name, None)
        self._line(name, said)

    def step(self, name: str, done: int, planned: int | None, said: str) -> None:
        now = time.monotonic()
        if done != planned and now - self._last.get(name, 0.0) < self.every_s:
            return
        self._last[name] = now
        self._line(name, f"{done}/{planned if planned is not None else '?'} {said}")

    def _line(self, name: str, said: str) -> None:
        self.write(f"{time.monotonic() - self._started:7.1f} s  {name:<32} {said}")


@dataclass(frozen=True)
class SilentProgress:
    def stage(self, name: str, said: str) -> None: ...

    def step(self, name: str, done: int, planned: int | None, said: str) -> None: ...
