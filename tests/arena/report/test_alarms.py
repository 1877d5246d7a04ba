from dataclasses import replace

import pytest

from arena.records.run import StageState
from arena.report.alarms import alarms

BASE = "p" * 38 + "f" * 21 + "p" * 31 + "f" * 160
WORSE = "f" * 38 + "p" * 21 + "p" * 31 + "f" * 160
"""The seed's counts with the scaffold held fixed: 21 gained, 38 lost, p = .036."""


@pytest.fixture
def pair(make_run, make_factors):
    def make(grades, base=BASE, **changes):
        same = {"model__base": "qwen", "harness__solver": "solvers.react:solver", "generate__seed": 0}
        runs = [
            make_run("base", {"suite": [base]}, factors=make_factors(recipe__trainer="trainers.none:train", **same)),
            make_run(
                "sft",
                {"suite": [grades]},
                factors=make_factors(**{**same, "recipe__trainer": "trainers.sft:train"} | changes),
            ),
        ]
        labels = ("untrained", "trained")
        return [
            replace(run, stages={"train": StageState("", "done", record={"label": label})})
            for run, label in zip(runs, labels, strict=True)
        ]

    return make


def test_weights_that_are_worse_than_their_base_in_the_same_harness_raise_an_alarm(pair):
    (alarm,) = alarms(pair(WORSE))

    assert alarm.difference == pytest.approx(-0.068)
    assert alarm.p_exact == pytest.approx(0.036343, abs=1e-6)
    assert "6.8 points worse than its own base" in alarm.text


def test_a_difference_that_may_be_noise_raises_none(pair):
    assert alarms(pair("f" * 30 + "p" * 8 + "p" * 21 + "p" * 31 + "f" * 160)) == ()


@pytest.mark.parametrize(
    "change", [{"harness__solver": "solvers.mini:solver"}, {"generate__seed": 1}, {"model__base": "llama"}]
)
def test_another_harness_or_base_is_no_ones_own(pair, change):
    assert alarms(pair(WORSE, **change)) == ()


def test_better_than_the_base_is_no_alarm(pair):
    assert alarms(pair(BASE, base=WORSE)) == ()


def test_a_checkpoint_is_traced_to_the_base_of_the_cell_that_trained_it(pair, make_run, make_factors):
    base, sft = pair(BASE)
    same = {"harness__solver": "solvers.react:solver", "generate__seed": 0, "recipe__trainer": "trainers.none:train"}
    factors = make_factors(model__from__cell="sft", model__from__checkpoint="step_900", **same)
    submitted = replace(make_run("submitted", {"suite": [WORSE]}, factors=factors), stages=base.stages)

    assert [(alarm.run, alarm.base) for alarm in alarms([base, sft, submitted])] == [(submitted.id, base.id)]
    assert alarms([base, submitted]) == ()
