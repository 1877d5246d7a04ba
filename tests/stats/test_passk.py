import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats import pass_at_k, pass_hat_k

NAN = np.nan


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=7), st.integers(1, 7))
def test_all_subsets_of_k_runs_are_counted(runs: list[float], k: int) -> None:
    at, hat = pass_at_k([runs], k), pass_hat_k([runs], k)
    if k > len(runs):
        assert (at.value, at.tasks, at.short) == (None, 0, 1)
        return
    subsets = list(itertools.combinations(runs, k))
    assert at.value == pytest.approx(np.mean([max(subset) for subset in subsets]))
    assert hat.value == pytest.approx(np.mean([min(subset) for subset in subsets]))


def test_a_task_with_too_few_scored_runs_is_left_out_and_counted() -> None:
    y = [[1, 0, 1], [1, NAN, NAN], [0, 0, NAN], [NAN, NAN, NAN]]
    at = pass_at_k(y, 2)
    assert (at.k, at.tasks, at.short) == (2, 2, 2)
    assert at.value == pytest.approx((1 + 0) / 2)
    assert pass_at_k(y, 1).value == pytest.approx((2 / 3 + 1 + 0) / 3)


def test_one_run_is_the_rate_and_k_below_one_is_refused() -> None:
    y = (np.random.default_rng(0).random((30, 4)) < 0.3) * 1.0
    assert pass_at_k(y, 1).value == pass_hat_k(y, 1).value == pytest.approx(y.mean())
    with pytest.raises(ValueError, match="at least 1"):
        pass_at_k(y, 0)
