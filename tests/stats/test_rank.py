import numpy as np
import pytest
import scipy.stats as sps

from stats import best_set, ranks
from stats.rank import _rank_rows

NAN = np.nan


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def drawn(rates: list[float], tasks: int = 200, runs: int = 2, seed: int = 0) -> np.ndarray:
    return (rng(seed).random((len(rates), tasks, runs)) < np.array(rates)[:, np.newaxis, np.newaxis]) * 1.0


def test_equal_rates_share_the_better_rank_and_nothing_drawn_is_last() -> None:
    rows = np.array([[0.5, 0.7, 0.5, 0.1], [0.2, 0.2, 0.2, 0.2], [0.3, NAN, 0.9, 0.3]])
    assert _rank_rows(rows).tolist() == [[2, 1, 2, 4], [1, 1, 1, 1], [2, 4, 1, 2]]
    many = rng().integers(0, 9, (50, 30)) / 8
    assert np.array_equal(_rank_rows(many), sps.rankdata(-many, method="min", axis=1))


def test_ranks_are_those_of_a_plain_bootstrap() -> None:
    y = drawn([0.5, 0.45, 0.2, 0.55])
    found = ranks(y, rng(1), samples=4_000)
    generator, rates = rng(2), y.mean(axis=2)
    draws = generator.integers(0, 200, (4_000, 200))
    resampled = sps.rankdata(-rates[:, draws].mean(axis=2), method="min", axis=0)
    for cell, interval in enumerate(found):
        ends = np.quantile(resampled[cell], [0.025, 0.975], method="inverted_cdf")
        assert (interval.cell, [interval.lo, interval.hi]) == (cell, ends.tolist())
        assert interval.p_best == pytest.approx((resampled[cell] == 1).mean(), abs=0.03)
    assert [interval.rank for interval in found] == sps.rankdata(-rates.mean(axis=1), method="min").tolist()


def test_unscored_tasks_are_left_out_of_a_cells_rate() -> None:
    y = drawn([0.5, 0.5, 0.5])
    y[0, :150] = NAN
    y[1, :, 1] = NAN
    found = ranks(y, rng(), samples=500)
    assert all(1 <= interval.lo <= interval.rank <= interval.hi <= 3 for interval in found)
    with pytest.raises(ValueError, match=r"none in cells \[1\]"):
        ranks(np.stack([y[0], np.full((200, 2), NAN)]), rng())


def test_order_of_cells_does_not_matter_and_the_generator_decides_alone() -> None:
    y = drawn([0.3, 0.5, 0.4])
    there, back = ranks(y, rng(), samples=800), ranks(y[::-1], rng(), samples=800)
    assert [(i.rank, i.lo, i.hi, i.p_best) for i in there] == [(i.rank, i.lo, i.hi, i.p_best) for i in back[::-1]]
    assert ranks(y, rng(), samples=800) == there


def test_the_best_set_drops_the_clearly_worse_and_keeps_ties() -> None:
    y = drawn([0.5, 0.2, 0.5, 0.48])
    kept = best_set(y, rng())
    assert 1 not in kept
    assert {0, 2} & set(kept)
    assert kept[0] == int(np.argmax(y.mean(axis=(1, 2))))
    assert best_set(np.stack([y[0], y[0]]), rng()) == (0, 1)
    assert best_set([[1, 1, 1], [0, 0, 0]], rng()) == (0,)
    assert best_set([[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1]], rng()) == (0, 2)


def test_a_cell_with_few_scored_tasks_may_be_the_best() -> None:
    y = drawn([0.5, 0.3], runs=1)
    few = np.full((1, 200, 1), NAN)
    few[0, :2] = [[1], [0]]
    assert set(best_set(np.concatenate([y, few]), rng(), samples=500)) == {0, 2}


def test_the_best_set_holds_the_best_as_often_as_it_says() -> None:
    held = 0
    for seed in range(120):
        y = drawn([0.4, 0.4, 0.4, 0.4], tasks=120, runs=1, seed=seed)
        held += 0 in best_set(y, rng(seed), samples=400)
    assert held / 120 > 0.88
