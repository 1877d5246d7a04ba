import numpy as np
import pytest

import stats
from arena.report.rollup import rollup
from arena.report.standings import standings


@pytest.fixture
def field(make_run):
    """Three cells that are alike, and one that is far below."""
    grades = {
        "best": "p" * 30 + "f" * 10,
        "second": "p" * 29 + "f" * 11,
        "third": "f" + "p" * 28 + "f" * 11,
        "far": "f" * 35 + "p" * 5,
    }
    return [make_run(name, {"suite": [letters]}) for name, letters in grades.items()]


def test_cells_that_cannot_be_told_apart_share_a_tier(field):
    found = standings(field, "suite")

    assert [(one.rank, one.tier, one.may_be_best) for one in found.runs] == [
        (1, 1, True),
        (2, 1, True),
        (3, 1, True),
        (4, 2, False),
    ]
    assert (found.pairs, found.told_apart) == (6, 3)
    assert all(one.rank_lo <= one.rank <= one.rank_hi for one in found.runs)


def test_every_pair_has_the_p_of_the_paired_comparison_adjusted_among_all(field):
    found = standings(field, "suite")
    again = stats.adjust([pair.p_exact for pair in found.listed], "all pairs", "bh").adjusted

    assert [pair.p_adjusted for pair in found.listed] == pytest.approx(list(again))
    far = next(pair for pair in found.listed if (pair.a.split("/")[0], pair.b.split("/")[0]) == ("best", "far"))
    assert far.p_exact == pytest.approx(stats.mcnemar(5, 30).p_exact, rel=1e-9)
    assert far.difference == pytest.approx(-25 / 40)


def test_the_same_records_give_the_same_ranks(field):
    assert standings(field, "suite") == standings(field, "suite")


def test_a_single_run_has_no_standing_and_a_partial_one_none_either(field, make_run):
    assert standings(field[:1], "suite") is None
    part = make_run("part", {"suite": ["p" * 39 + "."]})
    board = rollup([*field, part])

    assert [one.run for found in board.standings for one in found.runs] == [run.id for run in field]
    assert board.standing(board.rows[-1]) is None
    assert board.standing(board.rows[0]).tier == 1


def test_runs_with_other_numbers_of_replicates_stand_beside_each_other(field, make_run):
    twice = make_run("twice", {"suite": ["p" * 30 + "f" * 10, "p" * 30 + "f" * 10]})
    found = standings([*field, twice], "suite")

    assert len(found.runs) == 5
    assert np.isfinite([pair.p_exact for pair in found.listed]).all()
