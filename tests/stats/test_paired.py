import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stats import Paired, contrast, paired, signflip, tango

NAN = np.nan
cells = st.integers(1, 10).flatmap(
    lambda tasks: st.tuples(
        *(
            arrays(float, st.tuples(st.just(tasks), st.integers(1, 4)), elements=st.sampled_from([0.0, 1.0, NAN]))
            for _ in range(2)
        )
    )
)


def same(one: Paired, other: Paired) -> bool:
    return one.effect.interval == other.effect.interval and one.effect.p_exact == other.effect.p_exact


@given(cells)
def test_figures_follow_from_the_tasks_that_both_scored(pair: tuple[np.ndarray, np.ndarray]) -> None:
    first, second = pair
    both = np.isfinite(first).any(axis=1) & np.isfinite(second).any(axis=1)
    effect = paired(first, second).effect
    assert effect.paired == tuple(np.flatnonzero(both))
    assert effect.improved + effect.regressed + effect.unchanged == both.sum()
    if not both.any():
        assert (effect.difference, effect.se, effect.interval, effect.p_exact) == (None, None, None, None)
        return
    moved = np.nanmean(second[both], axis=1) - np.nanmean(first[both], axis=1)
    assert effect.difference == pytest.approx(moved.mean(), abs=1e-12)
    assert (effect.improved, effect.regressed) == ((moved > 1e-9).sum(), (moved < -1e-9).sum())
    assert effect.p_exact == pytest.approx(signflip(np.rint(moved * 12).astype(int)).p_exact, abs=1e-12)
    if both.sum() > 1:
        assert effect.se == pytest.approx(moved.std(ddof=1) / np.sqrt(both.sum()), abs=1e-12)


@given(cells)
def test_swapping_turns_every_sign(pair: tuple[np.ndarray, np.ndarray]) -> None:
    there, back = paired(*pair), paired(*reversed(pair))
    assert there.bracket == -back.bracket
    assert (there.runs_first, there.runs_second) == (back.runs_second, back.runs_first)
    if there.effect.difference is not None:
        assert there.effect.difference == -back.effect.difference
        assert there.effect.p_exact == back.effect.p_exact
        assert (there.effect.improved, there.effect.regressed) == (back.effect.regressed, back.effect.improved)
        assert there.score_interval.lo == pytest.approx(-back.score_interval.hi, abs=1e-12)


@given(cells, st.randoms(use_true_random=False))
def test_order_of_tasks_and_runs_does_not_matter(pair: tuple[np.ndarray, np.ndarray], random) -> None:
    first, second = pair
    order = random.sample(range(len(first)), len(first))
    assert same(paired(first, second), paired(first[order][:, ::-1], second[order]))
    assert same(paired(first, second), paired(np.hstack([first, np.full((len(first), 2), NAN)]), second))


def test_unscored_episodes_can_flip_the_sign_of_the_bracket() -> None:
    result = paired([1, 0, NAN, 0], [1, 1, 0, NAN])
    assert result.effect.difference == pytest.approx(0.5)
    assert (result.bracket.lo, result.bracket.hi) == (0.0, 0.5)
    worse = paired([1, 0, NAN, NAN], [1, 1, 0, 0])
    assert worse.bracket.lo < 0 < worse.effect.difference


def test_runs_of_different_number_are_compared_by_their_rates() -> None:
    result = paired([[1, 0], [0, 0], [1, NAN]], [[1, 1, 0], [0, 1, NAN], [1, 1, 1]])
    assert result.effect.difference == pytest.approx((2 / 3 - 1 / 2 + 1 / 2 + 0) / 3)
    assert result.runs_first == pytest.approx(3 / (1 / 2 + 1 / 2 + 1))
    assert result.runs_second == pytest.approx(3 / (1 / 3 + 1 / 2 + 1 / 3))


def test_a_degenerate_interval_comes_with_a_score_interval_at_any_number_of_runs() -> None:
    result = paired(np.zeros((21, 3)), np.zeros((21, 3)))
    assert result.effect.degenerate
    assert result.score_interval == tango(0, 0, 21)
    all_better = paired(np.zeros(6), np.ones(6))
    assert all_better.effect.degenerate
    assert all_better.score_interval.lo < 1


def test_many_uneven_runs_are_bounded_and_say_so() -> None:
    generator = np.random.default_rng(4)
    first, second = ((generator.random((60, 19)) < 0.4) * 1.0 for _ in range(2))
    for row, scored in enumerate(np.resize([11, 13, 16, 17, 19], 60)):
        first[row, scored:] = NAN
    effect = paired(first, second).effect
    assert not effect.exact
    assert effect.difference == pytest.approx(np.mean(second.mean(axis=1) - np.nanmean(first, axis=1)), abs=1e-4)
    near = paired(first[:, :11], second[:, :11]).effect
    assert near.exact
    assert effect.interval.lo < effect.difference < effect.interval.hi


def test_cells_on_different_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match="align them by task id"):
        paired([1, 0], [1, 0, 1])
    with pytest.raises(ValueError, match="a weight each"):
        contrast([[1, 0], [1, 0]], [1])
