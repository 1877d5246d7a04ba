from dataclasses import replace

import pytest

import stats
from arena.errors import UsageError
from arena.records.run import StageState
from arena.report.costs import gpus_of, recorded_cost
from arena.report.plan import plan

FIRST = "p" * 31 + "p" * 21 + "f" * 198
SECOND = "p" * 31 + "f" * 21 + "p" * 18 + "f" * 180
"""The seed's two runs of one system: 39 of 250 tasks disagree."""


@pytest.fixture
def base(make_run):
    return make_run("base", {"suite": [FIRST, SECOND]}, change=lambda e: replace(e, working_s=36.0, cost=0.25))


@pytest.fixture
def tuned(make_run):
    return make_run("tuned", {"suite": ["p" * 20 + "f" * 11 + "p" * 40 + "f" * 179]})


def test_the_fewest_replicates_and_tasks_with_enough_power_are_found(base, tuned):
    (panel,) = plan([base, tuned], 0.05).panels
    single = panel.discordant

    assert panel.noise[0] == pytest.approx(0.078)
    assert panel.noise_source == ("measured", "assumed")
    at = [max(0.0, single - sum(panel.noise)) + sum(panel.noise) / m for m in range(1, 10)]
    enough = [m for m, share in enumerate(at, start=1) if stats.power(0.05, 250, max(share, 0.05)) >= 0.8]
    assert panel.replicates_needed == enough[0]
    now = max(0.0, single - sum(panel.noise)) + panel.noise[0] / 2 + panel.noise[1] / 1
    assert panel.power_now == pytest.approx(stats.power(0.05, 250, now))
    assert stats.power(0.05, panel.tasks_needed - 1, now) < 0.8 <= stats.power(0.05, panel.tasks_needed, now)


def test_the_cost_is_that_of_the_missing_replicates_and_null_where_one_arm_is_unpriced(base, tuned):
    (panel,) = plan([base, tuned], 0.05).panels
    missing = (panel.replicates_needed - 2) * 250, (panel.replicates_needed - 1) * 250

    assert panel.cost.episodes == sum(missing)
    assert panel.cost.working_h == pytest.approx((missing[0] * 36.0 + missing[1] * 1.5) / 3600)
    assert panel.cost.money is None
    assert recorded_cost(base, base.panels[0]).money == 125.0


def test_a_cell_that_was_never_run_is_planned_for_from_the_reference_alone(base):
    (panel,) = plan([base], 0.05).panels

    assert (panel.b, panel.discordant_source) == (None, "assumed")
    assert panel.discordant == pytest.approx(0.156 + 0.05)
    assert panel.cost.money == pytest.approx(
        ((max(0, panel.replicates_needed - 2)) + panel.replicates_needed) * 250 * 0.25
    )


def test_what_measures_a_noise_floor_comes_first_then_most_power_for_the_work(base, tuned):
    found = plan([base, tuned], 0.05).next_runs

    assert [(one.cell, one.why) for one in found] == [
        ("tuned", "measures its noise"),
        ("base", "one more replicate of a"),
    ]
    assert all(one.power_then > one.power_now for one in found)


def test_with_few_tasks_no_number_of_replicates_does(make_run):
    arms = [make_run(name, {"suite": [grades] * 2}) for name, grades in (("a", "ppff"), ("b", "ffpp"))]
    (panel,) = plan(arms, 0.05).panels

    assert (panel.replicates_needed, panel.cost) == (None, None)
    assert panel.tasks_needed > 100
    assert "no number does" in plan(arms, 0.05).to_markdown()


def test_gpu_hours_come_from_the_panels_account_and_are_null_without(base):
    assert (gpus_of(base), recorded_cost(base, base.panels[0]).gpu_h) == (None, None)
    two = replace(base, stages={**base.stages, "serve": StageState("", "done", None, 1.0, {"facts": {"gpus": 2}})})
    (base.folder / "evals").mkdir()
    (base.folder / "evals" / ".used-0.json").write_text('{"seconds": 7200}')

    assert recorded_cost(two, base.panels[0]).gpu_h == pytest.approx(4.0)
    assert plan([two], 0.05).panels[0].cost.gpu_h == pytest.approx(
        4.0 / 500 * plan([two], 0.05).panels[0].cost.episodes
    )


def test_the_estimand_is_named_and_these_tasks_alone_need_fewer_runs(base, tuned):
    found = plan([base, tuned], 0.05)

    assert "counts once" in found.estimand
    assert found.panels[0].replicates_these_tasks <= found.panels[0].replicates_needed


@pytest.mark.parametrize("effect", [0.0, 1.0, -0.1, 5])
def test_an_effect_that_is_no_share_is_refused(base, effect):
    with pytest.raises(UsageError, match=r"0\.05 is five points"):
        plan([base], effect)


def test_nothing_scored_is_nothing_to_plan_from(make_run):
    with pytest.raises(UsageError, match="no suite with a scored episode"):
        plan([make_run("empty", {"suite": ["nnn"]})], 0.05)


def test_where_the_effect_is_found_already_nothing_is_missing(make_run):
    arms = [make_run(name, {"suite": [grades] * 2}) for name, grades in (("a", FIRST), ("b", SECOND))]
    (panel,) = plan(arms, 0.3).panels

    assert (panel.power_now > 0.99, panel.replicates_needed, panel.cost.episodes) == (True, 1, 0)
    assert panel.detectable_now < 0.1
    assert "nothing is missing" in plan(arms, 0.3).to_markdown()


def test_a_panel_in_the_order_in_which_its_tasks_were_drawn_is_planned_for_like_a_sorted_one(base, tuned):
    def drawn(run):
        panel = run.panels[0]
        return replace(run, panels=(replace(panel, task_ids=tuple(reversed(panel.task_ids))),))

    assert plan([drawn(base), drawn(tuned)], 0.05).panels == plan([base, tuned], 0.05).panels
