import csv
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.stats as sps
from statsmodels.stats.multitest import multipletests

from stats import all_pairs, paired, tiers

NAN = np.nan
DATA = Path(__file__).parents[3] / "shared" / "data" / "verified_matrix.csv"


def drawn(seed: int, cells: int, tasks: int, runs: int, unscored: float = 0.0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    rates = generator.beta(0.4, 0.7, (1, tasks, 1)) * generator.random((cells, 1, 1)) ** 0.3
    y = (generator.random((cells, tasks, runs)) < rates) * 1.0
    y[generator.random(y.shape) < unscored] = NAN
    return y


@pytest.mark.parametrize("tasks", [1, 2, 7, 89, 250])
@pytest.mark.parametrize(
    ("runs", "unscored"), [(1, 0.0), (1, 0.1), (3, 0.0), (3, 0.1), (5, 0.0), (5, 0.4), (7, 0.3), (2, 0.97)]
)
def test_every_pair_has_the_figures_of_the_single_comparison(tasks: int, runs: int, unscored: float) -> None:
    y = drawn(runs + tasks, 5, tasks, runs, unscored)
    matrix = all_pairs(y)
    for pair, (first, second) in enumerate(zip(*np.triu_indices(5, 1), strict=True)):
        effect = paired(y[first], y[second]).effect
        assert matrix.paired[pair] == len(effect.paired)
        if not effect.paired:
            assert np.isnan([matrix.difference[pair], matrix.p[pair], matrix.lo[pair]]).all()
            continue
        found = [matrix.difference[pair], matrix.lo[pair], matrix.hi[pair]]
        assert found == pytest.approx([effect.difference, effect.interval.lo, effect.interval.hi], abs=1e-12)
        assert matrix.p[pair] == pytest.approx(max(effect.p_exact, 1e-12), abs=1e-12)
        if effect.se is not None:
            assert matrix.se[pair] == pytest.approx(effect.se, abs=1e-12)


@pytest.mark.parametrize(("runs", "unscored"), [(5, 0.0), (3, 0.01), (6, 0.01)])
def test_sums_far_beyond_the_window_have_the_least_p(runs: int, unscored: float) -> None:
    generator = np.random.default_rng(2)
    rates = np.repeat([0.1, 0.7], 6)[:, np.newaxis, np.newaxis]
    y = (generator.random((12, 250, runs)) < rates) * 1.0
    y[generator.random(y.shape) < unscored] = NAN
    matrix = all_pairs(y, intervals=False)
    assert matrix.square(matrix.p)[:6, 6:].max() <= 1e-12, "whatever the parity of the sum"


def test_cells_without_any_difference_have_intervals_without_width() -> None:
    y = np.concatenate([np.zeros((4, 30, 3)), drawn(2, 3, 30, 3)])
    matrix = all_pairs(y)
    assert matrix.square(matrix.lo)[:4, :4][np.triu_indices(4, 1)].tolist() == [0.0] * 6
    assert matrix.square(matrix.hi)[:4, :4][np.triu_indices(4, 1)].tolist() == [0.0] * 6


def test_blocks_do_not_matter() -> None:
    y = drawn(3, 40, 30, 3)
    whole, part = all_pairs(y), all_pairs(y[:25])
    index = whole.square(np.arange(780.0))[:25, :25][np.triu_indices(25, 1)].astype(int)
    assert np.array_equal(whole.difference[index], part.difference)
    assert whole.p[index] == pytest.approx(part.p, abs=1e-12)
    assert np.array_equal(whole.lo[index], part.lo)


def test_the_square_is_signed_below_the_diagonal() -> None:
    y = drawn(1, 4, 50, 2)
    matrix = all_pairs(y)
    square = matrix.square(matrix.difference, signed=True)
    assert square[1, 3] == -square[3, 1] == pytest.approx(paired(y[1], y[3]).effect.difference)
    assert np.isnan(np.diag(square)).all()


def test_intervals_can_be_left_out_and_the_family_is_all_pairs() -> None:
    y = drawn(2, 6, 80, 1)
    matrix, holm = all_pairs(y, intervals=False), all_pairs(y, correction="holm", intervals=False)
    assert np.isnan(matrix.lo).all()
    assert matrix.p_adjusted == pytest.approx(sps.false_discovery_control(matrix.p), abs=1e-12)
    assert holm.p_adjusted == pytest.approx(multipletests(matrix.p, method="holm")[1], abs=1e-12)
    assert (matrix.correction, holm.correction) == ("bh", "holm")


def test_one_cell_has_no_pairs() -> None:
    matrix = all_pairs([[1, 0, NAN]])
    assert (matrix.p.size, matrix.rates.tolist(), tiers(matrix)) == (0, [0.5], ((0,),))


def test_tiers_hold_cells_that_cannot_be_told_from_their_best() -> None:
    generator = np.random.default_rng(0)
    rates = np.repeat([0.9, 0.5, 0.1], 2)
    y = (generator.random((6, 200)) < rates[:, np.newaxis]) * 1.0
    matrix = all_pairs(y)
    assert [set(tier) for tier in tiers(matrix)] == [{0, 1}, {2, 3}, {4, 5}]
    unscored = np.vstack([y, np.full((1, 200), NAN)])
    assert sum(len(tier) for tier in tiers(all_pairs(unscored))) == 6


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA.name} is not there")
def test_the_public_board_agrees_with_a_plain_loop_over_binomtest() -> None:
    table = np.array([row[1:] for row in csv.reader(DATA.read_text().splitlines())][1:], dtype=float).T
    top = table[np.argsort(-table.mean(axis=1), kind="stable")[:30]]
    matrix = all_pairs(top)
    p = np.ones(435)
    for pair, (first, second) in enumerate(zip(*np.triu_indices(30, 1), strict=True)):
        gained = int(((top[second] == 1) & (top[first] == 0)).sum())
        lost = int(((top[second] == 0) & (top[first] == 1)).sum())
        p[pair] = sps.binomtest(gained, gained + lost).pvalue
    assert matrix.p == pytest.approx(p, rel=1e-12)
    holm, bh = multipletests(p, method="holm")[1], sps.false_discovery_control(p)
    assert matrix.p_adjusted == pytest.approx(bh, rel=1e-12)
    assert all_pairs(top, correction="holm").p_adjusted == pytest.approx(holm, rel=1e-12)
    assert [(q >= 0.05).sum() for q in (p, holm, bh)] == [160, 301, 170]


def test_a_thousand_cells_take_seconds() -> None:
    y = drawn(0, 400, 250, 3)
    start = time.process_time()
    matrix = all_pairs(y)
    assert time.process_time() - start < 4, "benchmarks/statistics_speed.py has the figures for 1,000 cells"
    assert matrix.p.size == 79_800
