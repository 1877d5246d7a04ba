import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stats import score, wilson

NAN = np.nan
panels = arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.sampled_from([0.0, 1.0, NAN]))


def test_the_unscored_are_neither_failures_nor_successes() -> None:
    cell = score([[1, 0], [NAN, 1], [NAN, NAN], [0, 0]])
    assert (cell.planned, cell.scored, cell.passed, cell.unscored) == (8, 5, 2, 3)
    assert cell.rate == 2 / 5
    assert (cell.bracket.lo, cell.bracket.hi) == (2 / 8, 5 / 8)


def test_one_run_gives_one_interval() -> None:
    cell = score([1, 0, 0, NAN, 1])
    assert cell.wilson_pooled is not None
    assert cell.wilson_neff is not None
    assert (cell.wilson_neff.lo, cell.wilson_neff.hi) == (cell.wilson_pooled.lo, cell.wilson_pooled.hi)
    assert (cell.n_eff, cell.icc, cell.deff) == (4, None, None)


def test_copied_runs_add_nothing() -> None:
    once = np.resize([1.0, 0.0, 0.0, 1.0, 0.0], 100)
    single, copied = score(once), score(np.repeat(once[:, np.newaxis], 5, axis=1))
    assert copied.wilson_neff is not None
    assert single.wilson_neff is not None
    assert copied.wilson_neff.hi == pytest.approx(single.wilson_neff.hi, abs=1e-3)
    assert copied.icc == pytest.approx(1)


def test_a_partial_replicate_says_how_much_was_planned() -> None:
    y = np.full((250, 2), 0.0)
    y[100:, 1] = NAN
    assert score(y).unscored == 150
    assert score(y, planned=350).unscored == 0
    with pytest.raises(ValueError, match="scored must be at most 300"):
        score(y, planned=300)


@given(panels)
def test_an_interval_lies_in_the_unit_holds_the_rate_and_is_never_narrower_than_pooled(y: np.ndarray) -> None:
    cell = score(y)
    if cell.rate is None:
        assert (cell.wilson_neff, cell.wilson_pooled, cell.n_eff) == (None, None, None)
        return
    assert cell.wilson_neff is not None
    assert cell.wilson_pooled == wilson(cell.passed, cell.scored)
    assert 0 <= cell.wilson_neff.lo <= cell.rate <= cell.wilson_neff.hi <= 1
    assert cell.wilson_neff.lo <= cell.wilson_pooled.lo + 1e-12
    assert cell.wilson_neff.hi >= cell.wilson_pooled.hi - 1e-12
    assert cell.bracket.lo <= cell.rate <= cell.bracket.hi
    turned = score(y[::-1, ::-1])
    assert (turned.rate, turned.bracket, turned.unscored) == (cell.rate, cell.bracket, cell.unscored)
    assert (turned.n_eff, turned.icc) == pytest.approx((cell.n_eff, cell.icc), abs=1e-9)


@pytest.mark.parametrize("seed", [0])
def test_pooling_two_runs_covers_too_little_and_the_effective_size_enough(seed: int) -> None:
    generator = np.random.default_rng(seed)
    held = np.zeros(2)
    for _ in range(400):
        p = generator.beta(0.2 * 0.93, 0.8 * 0.93, 250)
        cell = score((generator.random((250, 2)) < p[:, np.newaxis]) * 1.0)
        assert cell.wilson_pooled is not None
        assert cell.wilson_neff is not None
        held += [0.2 in cell.wilson_pooled, 0.2 in cell.wilson_neff]
    assert held[0] / 400 < 0.91
    assert held[1] / 400 > 0.93
