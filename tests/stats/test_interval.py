import pytest
import scipy.stats as sps
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from stats import Interval, bracket, wilson


def test_wilson_agrees_with_scipy_and_statsmodels_for_every_count_up_to_60() -> None:
    for n in range(1, 61):
        for k in range(n + 1):
            ours = wilson(k, n)
            scipys = sps.binomtest(k, n).proportion_ci(0.95, method="wilson")
            theirs = proportion_confint(k, n, 0.05, method="wilson")
            assert (ours.lo, ours.hi) == pytest.approx((scipys.low, scipys.high), abs=1e-12)
            assert (ours.lo, ours.hi) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99, 0.999])
def test_wilson_agrees_with_scipy_at_other_confidences(confidence: float) -> None:
    ours, scipys = wilson(7, 31, confidence), sps.binomtest(7, 31).proportion_ci(confidence, method="wilson")
    assert (ours.lo, ours.hi) == pytest.approx((scipys.low, scipys.high), abs=1e-12)


def test_an_effective_size_moves_the_ends_and_keeps_the_rate_inside() -> None:
    pooled, clustered = wilson(101, 500), wilson(101, 500, n_eff=250)
    assert clustered.lo < pooled.lo < 0.202 < pooled.hi < clustered.hi
    halved = wilson(101, 500, n_eff=500)
    assert (halved.lo, halved.hi) == (pooled.lo, pooled.hi)
    assert (pooled.method, clustered.method) == ("wilson", "wilson_neff")


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_failures_mirror_successes(counts: tuple[int, int]) -> None:
    k, n = counts
    passes, fails = wilson(k, n), wilson(n - k, n)
    assert (passes.lo, passes.hi) == pytest.approx((1 - fails.hi, 1 - fails.lo), abs=1e-14)


def test_the_bracket_holds_whatever_the_unscored_would_have_given() -> None:
    assert bracket(238, 405, 445) == Interval(238 / 445, 278 / 445, "bracket", None)
    assert bracket(5, 10, 10).degenerate
    assert bracket(0, 0, 16) == Interval(0.0, 1.0, "bracket", None)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(0, 0), "at least one scored episode"),
        (lambda: wilson(4, 3), "k must be at most 3"),
        (lambda: wilson(1.5, 3), "whole number"),
        (lambda: wilson(1, 3, n_eff=0), "n_eff must be positive"),
        (lambda: wilson(1, 3, confidence=95), "between 0 and 1"),
        (lambda: bracket(3, 2, 4), "passed must be at most 2"),
        (lambda: bracket(0, 0, 0), "at least one planned episode"),
        (lambda: bracket(1, 5, 4), "scored must be at most 4"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
