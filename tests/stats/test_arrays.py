import importlib
import pkgutil

import numpy as np
import pytest

import stats
from stats.arrays import counts, outcomes, panel


def test_one_dimension_is_one_run_and_nan_is_unscored() -> None:
    cell = counts([1, 0, np.nan, 1])
    assert (cell.passed.tolist(), cell.scored.tolist(), cell.runs) == ([1, 0, 0, 1], [1, 1, 0, 1], 1)
    ragged = counts([[1, np.nan], [0, 1]])
    assert (ragged.passed.tolist(), ragged.scored.tolist(), ragged.runs, ragged.tasks) == ([1, 1], [1, 2], 2, 2)
    assert panel(np.zeros((3, 5))).shape == (3, 5, 1)


@pytest.mark.parametrize("wrong", [[0.5], [2], [-1], [np.inf], [[1, 0], [1, 0.3]]])
def test_anything_but_pass_fail_and_nan_is_refused(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match="outcomes are 1"):
        outcomes(wrong)


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="one cell at a time"):
        outcomes(np.zeros((2, 3, 4)))
    with pytest.raises(ValueError, match="a panel must have shape"):
        panel(np.zeros(4))


def test_exported_names_are_complete_and_sorted() -> None:
    assert stats.__all__ == sorted(stats.__all__)
    for name in stats.__all__:
        assert getattr(stats, name).__module__.startswith("stats.")


def test_every_module_says_what_it_is() -> None:
    for module in pkgutil.iter_modules(stats.__path__):
        assert importlib.import_module(f"stats.{module.name}").__doc__
