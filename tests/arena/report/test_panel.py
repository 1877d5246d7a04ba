import math

import pytest

from arena.errors import RecordError
from arena.report.panel import panel_results
from arena.report.pilot_form import condition


def only(run):
    (result,) = panel_results(run)
    return result


def test_a_complete_panel_of_two_replicates_has_the_seeds_figures(make_run):
    # 52 and 49 of 250: both 31, only the first 21, only the second 18, neither 180.
    first, second = "p" * 31 + "p" * 21 + "f" * 198, "p" * 31 + "f" * 21 + "p" * 18 + "f" * 180
    result = only(make_run("cell", {"verified": [first, second]}))

    assert (result.passed, result.scored, result.planned, result.rate) == (101, 500, 500, 0.202)
    assert (result.wilson_pooled.lo, result.wilson_pooled.hi) == pytest.approx((0.16914122, 0.23940289), abs=1e-8)
    assert (result.wilson_neff.lo, result.wilson_neff.hi) == pytest.approx((0.16214056, 0.24874908), abs=1e-8)
    assert result.completeness == "complete"
    assert (result.discordance.discordant, result.discordance.forward, result.discordance.backward) == (39, 21, 18)
    assert result.discordance.rate == pytest.approx(0.156)
    assert result.discordance.symmetry_p == pytest.approx(0.7492586247608415)
    assert result.discordance.within == pytest.approx(0.078)
    assert [part.rate for part in result.by_replicate] == [52 / 250, 49 / 250]


def test_the_unscored_are_neither_failures_nor_successes(make_run):
    result = only(make_run("cell", {"suite": ["ppfu."]}))

    assert (result.passed, result.failed, result.scored, result.unscored) == (2, 1, 3, 2)
    assert result.rate == pytest.approx(2 / 3)
    assert (result.bracket.lo, result.bracket.hi) == (2 / 5, 4 / 5)
    assert result.unscored_reasons == {"environment": 1, "not_recorded": 1}
    assert result.executions == {"completed": 3, "not_recorded": 1, "sandbox_error": 1}
    assert result.completeness == "partial (4 of 5)"


def test_a_rate_of_nothing_scored_is_null(make_run):
    result = only(make_run("cell", {"suite": ["nn"]}))

    assert result.rate is None
    assert result.wilson_pooled is None
    assert result.wilson_neff is None
    assert (result.bracket.lo, result.bracket.hi) == (0.0, 1.0)
    assert result.completeness == "partial (0 of 2)"


def test_a_panel_without_episodes_is_not_started(make_run):
    assert only(make_run("cell", {"suite": [".."]})).completeness == "not started"


def test_the_first_grade_counts_and_every_attempt_is_kept(make_run, make_episode):
    again = [
        make_episode("cell", "suite", "repo-000", 1, attempt=2, grade="fail", reason="tests_failed"),
        make_episode("cell", "suite", "repo-000", 1, attempt=3, grade="pass"),
        make_episode("cell", "suite", "repo-001", 1, attempt=2, grade="pass"),
    ]
    result = only(make_run("cell", {"suite": ["uf"]}, extra=again))

    assert (result.passed, result.failed) == (0, 2)
    assert (result.attempts.total, result.attempts.rerolled, result.attempts.share) == (5, 2, 1.0)
    assert result.attempts.graded_again == 2
    assert result.usage.tokens_out == 5 * 20


def test_identical_replicates_are_no_noise_floor_of_zero(make_run):
    result = only(make_run("cell", {"suite": ["p" * 60 + "f" * 60] * 3}))

    assert result.discordance.status == "replicates_identical"
    assert result.discordance.within is None
    assert result.discordance.copies_suspected


def test_replicates_that_all_fail_agree_without_suspicion(make_run):
    result = only(make_run("cell", {"suite": ["f" * 60] * 2}))

    assert result.discordance.status == "replicates_identical"
    assert not result.discordance.copies_suspected


def test_one_replicate_measures_no_floor(make_run):
    assert only(make_run("cell", {"suite": ["pf"]})).discordance.status == "not_measured"


def test_a_cost_with_a_gap_is_null_and_a_whole_one_is_added_up(make_run):
    from dataclasses import replace

    priced = only(make_run("priced", {"suite": ["ppp"]}, change=lambda e: replace(e, cost=0.1)))
    gap = only(
        make_run("gap", {"suite": ["pp"]}, change=lambda e: replace(e, cost=0.1 if e.task == "repo-000" else None))
    )

    assert priced.usage.cost == math.fsum([0.1] * 3)
    assert gap.usage.cost is None


def test_tiers_are_counted_apart(make_run):
    from dataclasses import replace

    hard = {"repo-002", "repo-003"}
    run = make_run("cell", {"suite": ["ppfu"]}, change=lambda e: replace(e, tier="hard" if e.task in hard else "easy"))
    tiers = {part.name: (part.passed, part.scored, part.planned) for part in only(run).by_tier}

    assert tiers == {"easy": (2, 2, 2), "hard": (0, 1, 2)}


def test_an_episode_that_no_panel_planned_is_refused(make_run, make_episode):
    stranger = make_episode("cell", "suite", "another-task", 1)
    with pytest.raises(RecordError, match="another-task"):
        panel_results(make_run("cell", {"suite": ["pf"]}, extra=[stranger]))


def test_an_episode_of_another_sample_is_refused(make_run, make_episode):
    stranger = make_episode("cell", "suite", "repo-000", 1, sample_digest="0" * 64)
    with pytest.raises(RecordError, match="belong to no panel"):
        panel_results(make_run("cell", {"suite": ["pf"]}, extra=[stranger]))


def test_a_sub_agents_episode_counts_for_nothing(make_run, make_episode):
    helper = make_episode("cell", "suite", "repo-000", 1, attempt=7, parent_episode="suite/repo-000/r1/a1")
    result = only(make_run("cell", {"suite": ["pf"]}, extra=[helper]))

    assert (result.attempts.total, result.scored) == (2, 2)


def test_the_pilots_own_counts_come_out_of_its_own_outcomes(make_run, make_episode):
    tasks = tuple(f"t{index:02}" for index in range(32))
    run = make_run(
        "base",
        {"human": ["f" * 21 + "." * 11]},
        tasks=tasks,
        extra=[
            make_episode(
                "base", "human", "t21", 1, grade="unscored", execution="limit", limit="wall", reason="timeout"
            ),
            *(
                make_episode("base", "human", task, 1, grade="unscored", execution="pending", reason="pending")
                for task in tasks[22:]
            ),
        ],
    )
    form = condition(only(run))

    assert list(form) == [
        "recorded_tasks",
        "completed",
        "attempted",
        "successes",
        "unscored",
        "rate",
        "statuses",
        "generated_tokens",
        "elapsed_seconds",
        "delegations",
        "planned",
        "unrecorded",
    ]
    assert form["statuses"] == {"completed": 21, "timeout": 1, "pending": 10}
    assert (form["recorded_tasks"], form["completed"], form["attempted"], form["unscored"]) == (32, 21, 22, 11)
    assert (form["rate"], form["planned"], form["unrecorded"]) == (0.0, 32, 0)
