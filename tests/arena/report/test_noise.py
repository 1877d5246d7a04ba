import json

import pytest

from arena.report.compare import compare
from arena.report.noise import run_noise, write_noise

FIRST = "p" * 31 + "p" * 21 + "f" * 198
SECOND = "p" * 31 + "f" * 21 + "p" * 18 + "f" * 180
"""The seed's two runs of one system: 39 of 250 tasks disagree, 21 against 18."""


def test_the_seeds_floor_is_measured_by_suite_and_by_task(make_run):
    (panel,) = run_noise(make_run("tuned", {"suite": [FIRST, SECOND]})).panels

    assert (panel.floor, panel.rate) == ("measured", 0.202)
    assert (panel.found.discordant, panel.found.forward, panel.found.backward) == (39, 21, 18)
    assert panel.found.within == pytest.approx(0.078)
    assert panel.band == pytest.approx(12.24 / 250, rel=1e-3)
    assert sum(task.discordant for task in panel.by_task) == 39
    assert sum(task.within for task in panel.by_task) / 250 == pytest.approx(0.078)


def test_without_replicates_a_range_is_assumed_and_said_so(make_run):
    (panel,) = run_noise(make_run("single", {"suite": ["p" * 25 + "f" * 75]})).panels

    assert (panel.floor, panel.band, panel.by_task) == ("assumed", None, ())
    assert (panel.found.assumed.lo, panel.found.assumed.hi) == pytest.approx((0.2 * 0.1875, 0.5 * 0.1875))


def test_at_a_rate_of_nothing_not_even_a_range_is_assumed(make_run):
    assert run_noise(make_run("single", {"suite": ["f" * 50]})).panels[0].floor == "none"


def test_copies_are_flagged_and_give_no_floor_of_0(make_run):
    (panel,) = run_noise(make_run("copied", {"suite": [FIRST, FIRST]})).panels

    assert (panel.floor, panel.found.within) == ("assumed", None)
    assert panel.found.copies_suspected
    assert "copies?" in run_noise(make_run("copied", {"suite": [FIRST, FIRST]})).to_markdown()


def test_an_assumed_floor_stands_beside_a_comparison_and_never_gates(make_run):
    a, b = make_run("base", {"suite": ["p" * 30 + "f" * 70]}), make_run("tuned", {"suite": ["p" * 22 + "f" * 78]})
    (panel,) = compare(a, b, "recipe").panels
    (reason,) = (one for one in panel.reasons if one.code == "noise_floor_not_measured")

    assert panel.noise.band is None
    assert panel.noise.assumed.lo < 0.08 < panel.noise.assumed.hi
    assert panel.interpretation == "regressed"
    assert reason.figures == {"assumed_lo": panel.noise.assumed.lo, "assumed_hi": panel.noise.assumed.hi}


def test_the_artifact_lies_beside_the_run(make_run):
    run = make_run("tuned", {"suite": [FIRST, SECOND]})
    written = json.loads(write_noise(run).read_text())

    assert (run.folder / "noise.json").is_file()
    assert written["panels"][0]["found"]["discordant"] == 39
    assert written["panels"][0]["by_task"][0] == {
        "task": "repo-000",
        "scored": 2,
        "passed": 2,
        "discordant": 0,
        "within": 0.0,
    }
