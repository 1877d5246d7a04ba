import pytest

from arena.report.factorial import factor_table, factorials
from arena.report.rollup import rollup
from arena.spec.study import Study

# Rates 11, 69, 33 and 52 of 250, as the seed's table has them.
COUNTS = {("base", "stock"): 11, ("base", "ws"): 69, ("v5", "stock"): 33, ("v5", "ws"): 52}


@pytest.fixture
def corner(make_run):
    return [make_run(f"{w}-{h}", {"suite": ["p" * k + "f" * (250 - k)]}) for (w, h), k in COUNTS.items()]


@pytest.fixture
def study():
    axes = {"weights": {"base": {}, "v5": {}}, "harness": {"stock": {}, "ws": {}}}
    return Study(study="two-by-two", grid={"base": "base", "axes": axes, "name": "{weights}-{harness}"})


def test_the_seeds_table_has_both_truths_and_the_interaction_between_them(corner, study):
    (found,) = factorials(study, corner)
    effects = {(one.kind, one.of.split(":")[0], one.at): one.difference for one in found.effects}

    assert found.rates == (0.044, 0.276, 0.132, 0.208)
    assert effects == {
        ("simple", "weights", "harness stock"): pytest.approx(0.088),
        ("simple", "weights", "harness ws"): pytest.approx(-0.068),
        ("simple", "harness", "weights base"): pytest.approx(0.232),
        ("simple", "harness", "weights v5"): pytest.approx(0.076),
        ("main", "weights", "mean over harness"): pytest.approx(0.01),
        ("main", "harness", "mean over weights"): pytest.approx(0.154),
        ("interaction", "weights", "harness ws less stock"): pytest.approx(-0.156),
    }


def test_only_tasks_that_all_four_scored_are_used(make_run):
    runs = [
        make_run(name, {"suite": [grades]}) for name, grades in zip("abcd", ("pfu", "ppf", "pup", "ppp"), strict=True)
    ]
    found = factor_table("suite", runs, ("one", "0", "1"), ("two", "0", "1"))

    assert found.paired == 1


def test_a_table_that_lacks_a_cell_is_not_made(corner, study):
    assert factorials(study, corner[:3]) == ()


def test_three_labels_are_each_held_against_the_first(make_run):
    axes = {"weights": {"base": {}, "short": {}, "v5": {}}, "harness": {"stock": {}, "ws": {}}}
    study = Study(study="three", grid={"base": "base", "axes": axes})
    runs = [make_run(f"{w}-{h}", {"suite": ["pf"]}) for w in axes["weights"] for h in axes["harness"]]

    assert [found.row_levels for found in factorials(study, runs)] == [("base", "short"), ("base", "v5")]


def test_a_rollup_of_a_study_shows_its_tables(corner, study):
    board = rollup(corner, study=study)

    assert "### weights by harness on suite" in board.to_markdown()
    assert board.as_json()["factorials"][0]["effects"][-1]["kind"] == "interaction"
