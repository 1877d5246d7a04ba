"""What comes in: outcomes as floats, 1 passed, 0 failed, NaN unscored.

Every function of this package reads its arrays through here: one place says what a good array is, and no unscored
episode becomes a zero on the way.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Passed and scored runs of each task of one cell."""

    passed: IntArray
    """Shape (tasks,): runs that passed."""

    scored: IntArray
    """Shape (tasks,): runs that passed or failed."""

    runs: int
    """Runs a task was meant to have: the width of the array, scored or not."""

    @property
    def tasks(self) -> int:
        """Tasks, scored or not."""
        return self.scored.size


def outcomes(y: ArrayLike) -> FloatArray:
    """Read the outcomes of one cell.

    Parameters
    ----------
    y : array_like, shape (tasks,) or (tasks, runs)
        1 passed, 0 failed, NaN unscored. One dimension is one run.

    Returns
    -------
    ndarray of float64, shape (tasks, runs)

    Raises
    ------
    ValueError
        If the shape is another one, or a value is neither 0, 1 nor NaN.
    """
    array = np.asarray(y, dtype=np.float64)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise ValueError(
            f"outcomes must have shape (tasks,) or (tasks, runs), got {array.shape}; pass one cell at a time"
        )
    return _checked(array)


def panel(y: ArrayLike) -> FloatArray:
    """Read the outcomes of several cells on the same tasks.

    Parameters
    ----------
    y : array_like, shape (cells, tasks) or (cells, tasks, runs)
        1 passed, 0 failed, NaN unscored. Two dimensions are one run.

    Returns
    -------
    ndarray of float64, shape (cells, tasks, runs)
    """
    array = np.asarray(y, dtype=np.float64)
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.ndim != 3:
        raise ValueError(f"a panel must have shape (cells, tasks) or (cells, tasks, runs), got {array.shape}")
    return _checked(array)


def counts(y: ArrayLike) -> Counts:
    """Count the passed and the scored runs of each task of one cell, shape (tasks,) or (tasks, runs)."""
    array = outcomes(y)
    return Counts((array == 1).sum(axis=1), np.isfinite(array).sum(axis=1), array.shape[1])


def check_fraction(name: str, value: float) -> None:
    """Refuse a level, a power or a share outside the open interval (0, 1)."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value}")


def check_count(name: str, value: float, most: float | None = None) -> None:
    """Refuse a count that is negative, no whole number, or more than `most`."""
    if value < 0 or value != int(value):
        raise ValueError(f"{name} must be a whole number of 0 or more, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}")


def _checked(array: FloatArray) -> FloatArray:
    good = (array == 0) | (array == 1) | np.isnan(array)
    if not good.all():
        wrong = array[~good].flat[0]
        raise ValueError(f"outcomes are 1 (passed), 0 (failed) or NaN (unscored), got {wrong}; grade before counting")
    return array
