import itertools

import numpy as np
import pytest
import scipy.stats as sps
from hypothesis import given
from hypothesis import strategies as st

from stats import Lattice, mcnemar, signflip
from stats.signflip import _half_law_by_fft, half_law

steps = st.lists(st.integers(-6, 6), min_size=1, max_size=9)


def enumerated(values: list[int]) -> tuple[float, float]:
    """p and mid-p over all 2^n patterns of signs."""
    seen = abs(sum(values))
    sums = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(values))
    ]
    further, equal = sum(total > seen for total in sums), sum(total == seen for total in sums)
    return (further + equal) / len(sums), (further + equal / 2) / len(sums) if seen else 1.0


@given(steps)
def test_all_patterns_of_signs_are_counted(values: list[int]) -> None:
    test = signflip(values)
    assert (test.p_exact, test.p_midp) == pytest.approx(enumerated(values), abs=1e-12)


@given(steps, st.integers(1, 7))
def test_sign_order_zeros_and_unit_do_not_matter(values: list[int], unit: int) -> None:
    there = signflip(values)
    assert signflip([-value for value in values]) == there
    assert signflip([unit * value for value in reversed(values)] + [0, 0, 0]) == there


@given(st.integers(0, 60), st.integers(0, 60))
def test_one_run_each_is_mcnemars_test(b: int, c: int) -> None:
    test, counted = signflip([1] * b + [-1] * c + [0] * 5), mcnemar(b, c)
    assert test.p_exact == pytest.approx(counted.p_exact, rel=1e-12)
    assert test.p_midp == pytest.approx(counted.p_midp, rel=1e-11)
    assert test.p_smallest == counted.p_smallest


def test_scipys_sampled_permutation_test_comes_near() -> None:
    values = np.random.default_rng(5).integers(-3, 5, 60)
    sampled = sps.permutation_test(
        (values,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(0)
    )
    assert signflip(values).p_exact == pytest.approx(sampled.pvalue, abs=0.01)


def test_a_tiny_p_keeps_its_digits() -> None:
    assert signflip([3] * 90).p_exact == pytest.approx(2 * 0.5**90, rel=1e-12)


def test_the_transform_gives_the_same_law_as_term_by_term() -> None:
    sizes, repeats = np.array([1, 2, 5, 6]), np.array([20, 13, 7, 1])
    direct, by_fft = half_law(sizes, repeats), _half_law_by_fft(sizes, repeats, 87)
    assert direct == pytest.approx(by_fft, abs=1e-15)
    assert direct.sum() == pytest.approx(1, abs=1e-13)


def test_long_laws_are_counted_too() -> None:
    values = np.random.default_rng(1).integers(1500, 2521, 14) * np.resize([1, -1, 1], 14)
    assert np.abs(values).sum() > 2**14
    signs = 1 - 2 * (np.arange(2**14)[:, np.newaxis] >> np.arange(14) & 1)
    share = np.mean(np.abs(signs @ values) >= abs(values.sum()))
    assert signflip(values).p_exact == pytest.approx(share, abs=1e-12)


def test_rounded_steps_give_an_upper_bound_and_say_so() -> None:
    values = np.random.default_rng(2).integers(-40, 50, 80)
    exact, bound = signflip(values), signflip(Lattice(values, 1, rounded=True))
    assert (exact.exact, bound.exact) == (True, False)
    assert exact.p_exact <= bound.p_exact < exact.p_exact + 0.2


def test_no_movement_is_no_evidence() -> None:
    for values in ([], [0, 0], [2, -2]):
        assert (signflip(values).p_exact, signflip(values).p_midp) == (1.0, 1.0)


def test_shares_are_refused() -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        signflip([0.5, 0.25])
