"""Figures are specifications that draw without a browser, with the figures of the records inside."""

import xml.etree.ElementTree as ET

import pytest

from arena.report import figures
from arena.report.compare import compare
from arena.report.plan import plan
from arena.report.rollup import rollup
from arena.report.standings import standings

FIRST, SECOND = "p" * 31 + "p" * 21 + "f" * 198, "p" * 31 + "f" * 21 + "p" * 18 + "f" * 180


@pytest.fixture
def runs(make_run):
    return [
        make_run("base", {"suite": [FIRST, SECOND]}),
        make_run("tuned", {"suite": ["p" * 60 + "f" * 190, "p" * 66 + "f" * 184]}),
    ]


@pytest.fixture
def all_figures(runs):
    comparison = compare(*runs, "recipe")
    board = rollup(runs, [comparison])
    return [
        figures.forest([comparison]),
        figures.paired_outcomes(comparison.panels[0], {("0/1", "1/1"): 29, ("1/1", "0/1"): 7, ("0/1", "0/1"): 214}),
        figures.replicate_discordance(board.rows),
        figures.power_curve(plan(runs, 0.05).panels[0]),
        figures.rank_intervals(standings(runs, "suite")),
    ]


def values(spec):
    """Every row of data in a specification."""
    return [row for rows in spec["datasets"].values() for row in rows]


def test_every_figure_is_drawn_as_svg_and_as_png(all_figures):
    for figure in all_figures:
        drawing = ET.fromstring(figures.svg(figure))  # our own drawing, not a stranger's
        assert drawing.tag.endswith("svg")
        assert float(drawing.attrib["width"]) > 150, figure.name
        assert figures.png(figure, scale=1).startswith(b"\x89PNG")


def test_a_forest_has_each_difference_with_interval_and_noise_band(runs):
    comparison = compare(*runs, "recipe")
    (panel,) = comparison.panels
    (row,) = [row for row in values(figures.forest([comparison]).spec) if "difference" in row]

    assert row["difference"] == pytest.approx(100 * panel.difference, abs=1e-3)
    assert (row["lo"], row["hi"]) == pytest.approx((100 * panel.ci95.lo, 100 * panel.ci95.hi), abs=1e-3)
    assert (row["noise_lo"], row["noise_hi"]) == pytest.approx(
        (-100 * panel.noise.band, 100 * panel.noise.band), abs=1e-3
    )


def test_discordance_leaves_out_what_was_not_measured(make_run):
    grades = {"single": [FIRST], "copied": [FIRST, FIRST], "twice": [FIRST, SECOND]}
    board = rollup([make_run(name, {"suite": letters}) for name, letters in grades.items()])
    rows = values(figures.replicate_discordance(board.rows).spec)

    assert [(row["run"].split("/")[0], row["rate"]) for row in rows] == [("twice", 15.6)]


def test_more_replicates_have_more_power_at_every_effect(runs):
    rows = [row for row in values(figures.power_curve(plan(runs, 0.05).panels[0]).spec) if "power" in row]
    by_runs = {runs: [row["power"] for row in rows if row["replicates"] == runs] for runs in ("1", "2", "5")}

    # Where nothing is found the exact test is the more conservative the fewer tasks move.
    assert all(one < two for one, two in zip(by_runs["1"], by_runs["2"], strict=True) if two > 0.2)
    assert max(by_runs["5"]) > 0.95


def test_the_same_records_give_the_same_specification(runs):
    assert figures.forest([compare(*runs, "recipe")]) == figures.forest([compare(*runs, "recipe")])
