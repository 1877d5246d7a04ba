"""Which episode the running code belongs to: known to the engine, read by model and sandbox code under it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class EpisodeKey:
    suite: str
    task: str
    replicate: int
    attempt: int
    parent: str | None = None
    """The parent episode's id, for an agent that another agent started."""

    @property
    def id(self) -> str:
        return f"{self.suite}/{self.task}/r{self.replicate}/a{self.attempt}"


_current: ContextVar[EpisodeKey | None] = ContextVar("arena_episode", default=None)


def current_episode() -> EpisodeKey | None:
    return _current.get()


@contextmanager
def in_episode(key: EpisodeKey) -> Iterator[None]:
    token = _current.set(key)
    try:
        yield
    finally:
        _current.reset(token)
