import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize

from stats import Lattice, score_interval, tango, wilson


def tangos_own(b: int, c: int, n: int) -> float:
    """The upper end from the formulae of Tango's paper."""

    def score(difference: float) -> float:
        linear = (2 * n - b + c) * difference - b - c
        lost = (np.sqrt(linear**2 + 8 * n * c * difference * (1 - difference)) - linear) / (4 * n)
        variance = n * (2 * lost + difference * (1 - difference))
        return (b - c - n * difference) + 1.959963984540054 * np.sqrt(max(variance, 0))

    return brentq(score, (b - c) / n + 1e-9, 1 - 1e-12, xtol=1e-14)


@pytest.mark.parametrize(("b", "c", "n"), [(29, 7, 250), (4, 0, 89), (0, 4, 89), (0, 0, 21), (1, 1, 9), (3, 12, 17)])
def test_ends_solve_tangos_equation(b: int, c: int, n: int) -> None:
    interval = tango(b, c, n)
    assert interval.hi == pytest.approx(tangos_own(b, c, n), abs=1e-10)
    assert interval.lo == pytest.approx(-tangos_own(c, b, n), abs=1e-10)


@pytest.mark.parametrize("n", [1, 5, 21, 250])
def test_no_movement_reaches_as_far_as_wilsons_interval_of_none(n: int) -> None:
    assert tango(0, 0, n).hi == pytest.approx(wilson(0, n).hi, abs=1e-12)
    assert tango(0, 0, n).lo == -tango(0, 0, n).hi


@pytest.mark.parametrize(
    "values", [[1, 2, 0, 0, -1, 0, 0, 3], [3, 3, 3, 0], [-1, -1, 0, 0, 0, 2], [0, 0, 1], [-3, -3, 1, 0, 0]]
)
def test_at_the_end_the_likeliest_law_is_z_errors_away(values: list[int]) -> None:
    """Find the likeliest law with the end as its mean by plain optimisation, and take its variance."""
    seen = np.array(values) / 3
    support = np.union1d(seen, [-1.0, 1.0])
    counts = np.array([(seen == value).sum() for value in support])
    end = score_interval(Lattice(np.array(values), 3)).hi
    fitted = minimize(
        lambda p: -counts[counts > 0] @ np.log(p[counts > 0] + 1e-300),
        np.full(support.size, 1 / support.size),
        bounds=[(1e-12, 1)] * support.size,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ support - end},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    variance = fitted.x @ (support - end) ** 2
    z = (end - seen.mean()) / np.sqrt(variance / seen.size)
    assert z == pytest.approx(1.959963984540054, rel=2e-4)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30))
def test_it_holds_the_mean_turns_with_the_sign_and_has_width(values: list[int]) -> None:
    steps = np.array(values)
    interval, turned = score_interval(Lattice(steps, 5)), score_interval(Lattice(-steps, 5))
    assert interval.lo <= steps.mean() / 5 <= interval.hi
    assert (interval.lo, interval.hi) == pytest.approx((-turned.hi, -turned.lo), abs=1e-12)
    assert -1 <= interval.lo < interval.hi <= 1


def test_many_tasks_come_to_the_normal_interval() -> None:
    steps = np.random.default_rng(0).integers(-3, 4, 20_000)
    interval = score_interval(Lattice(steps, 3))
    half = 1.959963984540054 * steps.std() / 3 / np.sqrt(steps.size)
    assert (interval.lo, interval.hi) == pytest.approx((steps.mean() / 3 - half, steps.mean() / 3 + half), rel=1e-2)


def test_a_wider_bound_lets_more_be_possible() -> None:
    steps = Lattice(np.array([0, 0, 0, 1]), 1)
    assert score_interval(steps, bound=2).hi > score_interval(steps).hi
    with pytest.raises(ValueError, match="beyond the bound"):
        score_interval(Lattice(np.array([2]), 1))


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 10"):
        tango(6, 5, 10)
    with pytest.raises(ValueError, match="at least one paired task"):
        tango(0, 0, 0)
