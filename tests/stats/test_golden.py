"""The figures of two published studies, each test named after the sentence that prints it."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats import (
    Lattice,
    bootstrap_interval,
    mcnemar,
    noise_band,
    noise_floor,
    paired,
    score,
    tango,
    variance,
    wilson,
)

EXACT = 1e-12

WILSON = [
    (53, 350, 0.11767149275824498, 0.19275414019833645),
    (101, 500, 0.16914122067557874, 0.23940288623950645),
    (3, 89, 0.011529221151789802, 0.09447362440561424),
    (1, 89, 0.001986183228256385, 0.060932462115046646),
    (5, 89, 0.024232878420720118, 0.12485416735078494),
    (0, 21, 0.0, 0.154639018924847),
    (0, 29, 0.0, 0.11696979849974075),
    (39, 250, 0.11626576522540502, 0.20614594482746082),
    (11, 250, 0.02474379816749356, 0.07705777097235189),
    (69, 250, 0.2242945999169993, 0.3344851182569598),
    (26, 250, 0.07196523249243102, 0.14802034070796105),
    (42, 250, 0.1267585530934315, 0.21928995777154373),
    (33, 250, 0.09555801652382931, 0.1795800919048179),
    (52, 250, 0.16229381886263317, 0.26254402804270643),
]


class Row(NamedTuple):
    b: int
    c: int
    n: int
    p: float
    midp: float
    law: tuple[float, float]
    sampled: tuple[float, float]
    tango: tuple[float, float]


PAIRS = [
    Row(
        29,
        7,
        250,
        0.0003125511575490236,
        0.0001910764258354892,
        (0.044, 0.136),
        (0.044, 0.132),
        (0.04346463921806207, 0.13759412689439193),
    ),
    Row(
        21,
        38,
        250,
        0.036343179957053856,
        0.027340133868077886,
        (-0.128, -0.008),
        (-0.128, -0.008),
        (-0.12914785629041559, -0.007989232744934929),
    ),
    Row(
        31,
        12,
        250,
        0.005401572654591285,
        0.003657766827927825,
        (0.024, 0.128),
        (0.028, 0.128),
        (0.02567861329995319, 0.12932039205722978),
    ),
    Row(
        69,
        11,
        250,
        2.0495153187175906e-11,
        1.182822185491251e-11,
        (0.168, 0.296),
        (0.168, 0.296),
        (0.16846065462773158, 0.297150674035922),
    ),
    Row(
        58,
        0,
        250,
        6.938893903907228e-18,
        3.4694469519536196e-18,
        (0.18, 0.284),
        (0.184, 0.284),
        (0.18397079678847128, 0.28814065174108705),
    ),
    Row(
        21,
        18,
        250,
        0.7492586247608415,
        0.6358280026288423,
        (-0.036, 0.06),
        (-0.036, 0.06),
        (-0.0382446455970083, 0.06277688260646289),
    ),
    Row(
        30,
        22,
        250,
        0.33174976336949064,
        0.2716791660655023,
        (-0.024, 0.088),
        (-0.024, 0.088),
        (-0.025167580560650243, 0.08992559655367355),
    ),
    Row(4, 0, 89, 0.125, 0.0625, (1 / 89, 8 / 89), (1 / 89, 8 / 89), (0.0017076549778485021, 0.10993045959712858)),
    Row(
        5,
        1,
        89,
        0.21875000000000003,
        0.12499999999999996,
        (0.0, 9 / 89),
        (0.0, 9 / 89),
        (-0.01226014567787155, 0.11557449256351687),
    ),
    Row(0, 0, 21, 1.0, 1.0, (0.0, 0.0), (0.0, 0.0), (-0.154639018924847, 0.15463901892484694)),
]


def outcomes(b: int, c: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two cells with b gains and c losses, whose other tasks both failed."""
    second = np.r_[np.ones(b), np.zeros(n - b)]
    first = np.r_[np.zeros(b), np.ones(c), np.zeros(n - b - c)]
    return first, second


def replicates() -> np.ndarray:
    """Two runs of the submitted system: 31 passed twice, 21 and 18 once, 180 never."""
    return np.repeat([[1.0, 1], [1, 0], [0, 1], [0, 0]], [31, 21, 18, 180], axis=0)


@pytest.mark.parametrize(("k", "n", "lo", "hi"), WILSON)
def test_wilson_rows(k: int, n: int, lo: float, hi: float) -> None:
    interval = wilson(k, n)
    assert (interval.lo, interval.hi) == pytest.approx((lo, hi), abs=EXACT)


def test_swe_bench_verified_15_1_and_20_2_percent_as_printed() -> None:
    printed = [tuple(round(100 * end, 1) for end in (w.lo, w.hi)) for w in (wilson(53, 350), wilson(101, 500))]
    assert printed == [(11.8, 19.3), (16.9, 23.9)]


@pytest.mark.parametrize("row", PAIRS, ids=str)
def test_paired_rows(row: Row) -> None:
    b, c, n = row.b, row.c, row.n
    test = mcnemar(b, c)
    assert (test.p_exact, test.p_midp) == pytest.approx((row.p, row.midp), rel=EXACT)
    steps = Lattice(np.repeat([1, -1, 0], [b, c, n - b - c]), 1)
    exact, drawn, tangos = bootstrap_interval(steps), bootstrap_interval(steps, method="sampled"), tango(b, c, n)
    assert (exact.lo, exact.hi) == pytest.approx(row.law, abs=EXACT)
    assert (drawn.lo, drawn.hi) == pytest.approx(row.sampled, abs=EXACT)
    assert (tangos.lo, tangos.hi) == pytest.approx(row.tango, abs=EXACT)
    result = paired(*outcomes(b, c, n))
    assert result.effect.p_exact == pytest.approx(row.p, rel=EXACT)
    assert result.effect.p_midp == pytest.approx(row.midp, rel=1e-11)
    assert result.effect.difference == pytest.approx((b - c) / n, abs=EXACT)
    assert (result.effect.improved, result.effect.regressed, result.effect.unchanged) == (b, c, n - b - c)
    assert result.effect.interval == exact
    assert result.score_interval == tangos


def test_two_runs_of_an_identical_system_disagree_on_39_of_250_tasks_symmetrically() -> None:
    floor = noise_floor(replicates())
    assert floor is not None
    assert (floor.discordant, floor.tasks, floor.forward, floor.backward) == (39, 250, 21, 18)
    assert floor.rate == pytest.approx(0.156, abs=EXACT)
    assert floor.symmetry_p == pytest.approx(0.7492586247608415, abs=EXACT)
    assert (floor.interval.lo, floor.interval.hi) == pytest.approx(
        (0.11626576522540502, 0.20614594482746082), abs=EXACT
    )
    assert not floor.identical


def test_any_result_near_22_vs_30_discordant_is_inside_the_noise_floor() -> None:
    floor = noise_floor(replicates())
    assert floor is not None
    band = floor.band(250)
    assert band == pytest.approx(noise_band(0.078, 250))
    assert abs(22 - 30) / 250 < band
    assert abs(29 - 7) / 250 > band
    assert band * 250 == pytest.approx(12.24, abs=0.005)


def test_published_interval_takes_two_runs_of_one_task_for_two_tasks() -> None:
    cell = score(replicates())
    assert cell.n_eff == pytest.approx(328.4706864381812, abs=1e-9)
    assert (cell.wilson_pooled.lo, cell.wilson_pooled.hi) == pytest.approx((0.16914122067557874, 0.23940288623950645))
    assert (cell.wilson_neff.lo, cell.wilson_neff.hi) == pytest.approx((0.16214055941306688, 0.24874907579827982))
    parts = variance(replicates())
    assert parts is not None
    assert parts.within == pytest.approx(0.078, abs=EXACT)
    assert (parts.icc, parts.deff) == pytest.approx((0.518, 1.518), abs=5e-4)


def test_every_terminal_bench_comparison_has_p_of_0_125_or_more() -> None:
    result = paired(*outcomes(0, 4, 89))
    assert result.effect.p_exact == 0.125
    assert result.effect.p_smallest == 0.125
    assert 0 not in result.effect.interval, "the interval would have called it a difference"


def test_human_panel_has_21_unchanged_pairs_and_a_degenerate_interval() -> None:
    base = np.r_[np.zeros(21), np.full(11, np.nan)]
    trained = np.r_[np.zeros(29), np.full(3, np.nan)]
    result = paired(base, trained)
    assert result.effect.paired == tuple(range(21))
    assert (result.effect.improved, result.effect.regressed, result.effect.unchanged) == (0, 0, 21)
    assert (result.effect.difference, result.effect.degenerate, result.effect.p_exact) == (0.0, True, 1.0)
    assert (result.effect.interval.lo, result.effect.interval.hi) == (0.0, 0.0)
    assert result.score_interval.hi == pytest.approx(0.154639018924847, abs=EXACT)
    assert (score(base).rate, score(base).unscored, score(base).planned) == (0.0, 11, 32)


def test_synthetic_panel_was_not_evaluated_and_everything_is_null() -> None:
    nothing = np.full(16, np.nan)
    result = paired(nothing, nothing)
    assert result.effect.paired == ()
    assert (result.effect.difference, result.effect.interval, result.effect.p_exact) == (None, None, None)
    assert result.effect.degenerate is False
    assert (result.score_interval, result.runs_first) == (None, None)
    assert (score(nothing).rate, score(nothing).wilson_neff) == (None, None)
    assert (score(nothing).bracket.lo, score(nothing).bracket.hi) == (0.0, 1.0)


@given(st.integers(0, 40), st.integers(0, 40))
def test_swapping_the_cells_turns_every_sign(b: int, c: int) -> None:
    first, second = outcomes(b, c, 83)
    there, back = paired(first, second), paired(second, first)
    assert there.effect.difference == -back.effect.difference
    assert there.effect.p_exact == back.effect.p_exact
    assert there.effect.interval == -back.effect.interval
    assert there.score_interval == -back.score_interval
    assert there.bracket == -back.bracket
