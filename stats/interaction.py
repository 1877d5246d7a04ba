"""Two factors at two levels: what each is worth, and whether one works differently under the other."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from stats.contrast import Effect, contrast


@dataclass(frozen=True, slots=True)
class Interaction:
    """A 2 x 2 table of cells on the tasks that all four scored, so that its effects add up."""

    interaction: Effect
    """(y11 - y10) - (y01 - y00): what the second factor gains by the first."""

    first: Effect
    second: Effect
    """Main effects: means of the two simple ones. Of little meaning beside a large interaction."""

    first_without: Effect
    first_with: Effect
    """Simple effects of the first factor at the second's level 0 and 1."""

    second_without: Effect
    second_with: Effect
    """Simple effects of the second factor at the first's level 0 and 1."""


def interaction(
    y00: ArrayLike, y01: ArrayLike, y10: ArrayLike, y11: ArrayLike, confidence: float = 0.95
) -> Interaction:
    """Analyse a 2 x 2 design task by task.

    Parameters
    ----------
    y00, y01, y10, y11 : array_like, shape (tasks,) or (tasks, runs)
        1 passed, 0 failed, NaN unscored; the first digit is the level of the first factor.
    confidence : float
        Of the intervals.

    Returns
    -------
    Interaction
        Only tasks that all four cells scored are used.
    """
    cells = (y00, y01, y10, y11)

    def weighed(*weights: int, divisor: int = 1) -> Effect:
        return contrast(cells, weights, confidence, divisor)

    return Interaction(
        interaction=weighed(1, -1, -1, 1),
        first=weighed(-1, -1, 1, 1, divisor=2),
        second=weighed(-1, 1, -1, 1, divisor=2),
        first_without=weighed(-1, 0, 1, 0),
        first_with=weighed(0, -1, 0, 1),
        second_without=weighed(-1, 1, 0, 0),
        second_with=weighed(0, 0, -1, 1),
    )
