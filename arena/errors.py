"""Every failure belongs to one boundary and is reported once.

    ArenaError                exit code 1: a check or a run failed
    ├── UsageError            exit code 2: a bad command line or a bad file
    │   └── CellError         a cell, goal, study or claim is wrong; names file and line
    ├── TrainError            a trainer failed, or what it left cannot be used
    ├── ServeError            a model could not be served
    ├── HarnessError          a harness or a plug-in is wrong, or raised inside an episode
    ├── SandboxError          a sandbox could not be made or was lost
    ├── ScoreError            a grader could not give a grade
    ├── RecordError           a record is missing, damaged or contradicts another
    └── LockedError           exit code 3: a locked decision or record would have been violated

A message says what was wrong, what was got and what to do. A failed episode is data, not an exception: `boundary`
turns whatever escapes from code that is not ours into the type of the boundary that it crossed.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class ArenaError(Exception):
    """Something that the user should know; printed without a traceback."""

    exit_code = 1


class UsageError(ArenaError):
    """A bad command line or a bad file."""

    exit_code = 2


class CellError(UsageError):
    """A cell, goal, study or claim is wrong."""


class TrainError(ArenaError):
    """A trainer failed, or what it left cannot be used."""


class ServeError(ArenaError):
    """A model could not be served."""


class HarnessError(ArenaError):
    """A harness or a plug-in is wrong, or raised inside an episode."""


class SandboxError(ArenaError):
    """A sandbox could not be made or was lost."""


class ScoreError(ArenaError):
    """A grader could not give a grade."""


class RecordError(ArenaError):
    """A record is missing, damaged or contradicts another."""


class LockedError(ArenaError):
    """A locked decision or record would have been violated."""

    exit_code = 3


@contextmanager
def boundary(error: type[ArenaError], what: str) -> Iterator[None]:
    """Turn whatever escapes from foreign code into `error`, naming `what` was being done."""
    try:
        yield
    except ArenaError:
        raise
    except Exception as cause:
        raise error(f"{what}: {type(cause).__name__}: {cause}") from cause
