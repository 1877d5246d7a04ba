from dataclasses import replace

import pytest

from arena.errors import UsageError
from arena.report.compare import Rules, compare


def arms(b, c, n, both=0):
    """Two single runs: `b` tasks only the second passes, `c` only the first, `both` tasks passed by both."""
    neither = n - b - c - both
    return "f" * b + "p" * c + "p" * both + "f" * neither, "p" * b + "f" * c + "p" * both + "f" * neither


@pytest.fixture
def compared(make_run):
    def run(first, second, rules=None, **options):
        a = make_run("base", {"suite": [first] if isinstance(first, str) else first}, **options)
        b = make_run("tuned", {"suite": [second] if isinstance(second, str) else second}, **options)
        return compare(a, b, "recipe", rules=rules or Rules())

    return run


def codes(reasons):
    return [reason.code for reason in reasons]


@pytest.mark.parametrize(
    ("b", "c", "n", "p", "ci", "word"),
    [
        (29, 7, 250, 0.0003125511575490236, (0.044, 0.136), "improved"),
        (21, 38, 250, 0.036343179957053856, (-0.128, -0.008), "regressed"),
        (31, 12, 250, 0.005401572654591285, (0.024, 0.128), "improved"),
        (69, 11, 250, 2.0495153187175906e-11, (0.168, 0.296), "improved"),
    ],
)
def test_the_seeds_comparisons_come_out_as_it_printed_them(compared, b, c, n, p, ci, word):
    (panel,) = compared(*arms(b, c, n, both=10)).panels

    assert (panel.improved, panel.regressed, panel.unchanged, panel.paired_tasks) == (b, c, n - b - c, n)
    assert panel.difference == pytest.approx((b - c) / n)
    assert panel.p_exact == pytest.approx(p, rel=1e-12)
    assert (panel.ci95.lo, panel.ci95.hi) == pytest.approx(ci)
    assert panel.interpretation == word
    assert panel.reportable.reportable
    assert (len(panel.improved_ids), len(panel.regressed_ids)) == (b, c)


def test_four_against_none_of_89_is_inconclusive_though_the_bootstrap_leaves_out_zero(compared):
    (panel,) = compared(*arms(0, 4, 89, both=1)).panels

    assert panel.p_exact == 0.125
    assert panel.interpretation == "inconclusive"
    assert "bootstrap_excludes_zero_but_exact_test_does_not_reject" in codes(panel.reasons)
    assert codes(panel.reportable.reasons) == ["smallest_p_above_alpha"]
    assert panel.reportable.reasons[0].figures == {"moved": 4, "p_smallest": 0.125, "alpha": 0.05}


def test_a_floor_is_no_difference_and_not_reportable(compared):
    (panel,) = compared("f" * 21, "f" * 21).panels

    assert panel.interpretation == "no_observed_difference"
    assert panel.interval_degenerate
    assert (panel.score_interval.lo, panel.score_interval.hi) == pytest.approx((-0.15463902, 0.15463902), abs=1e-7)
    assert codes(panel.reportable.reasons) == ["floor", "smallest_p_above_alpha"]
    assert "interval_degenerate" in codes(panel.reasons)


def test_a_ceiling_is_not_reportable(compared):
    (panel,) = compared("p" * 21, "p" * 21).panels

    assert "ceiling" in codes(panel.reportable.reasons)


def test_no_pair_is_not_evaluated_and_everything_null(compared):
    (panel,) = compared("nnn", "nnn").panels
    form = compared("nnn", "nnn").as_json()["comparisons"]["suite"]

    assert panel.interpretation == "not_evaluated"
    assert (form["difference"], form["ci95"], form["interval_degenerate"]) == (None, None, False)
    assert [form[key] for key in ("paired_tasks", "improved", "regressed", "unchanged")] == [0, 0, 0, 0]
    assert "partial_panel" in codes(panel.reportable.reasons)


def test_a_measured_noise_floor_gates(make_run):
    # 39 of 250 discordant within the reference, as the seed measured: differences up to 12.2 tasks are noise.
    first, second = "p" * 31 + "p" * 21 + "f" * 198, "p" * 31 + "f" * 21 + "p" * 18 + "f" * 180
    base = make_run("base", {"suite": [first, second]})
    other = make_run("tuned", {"suite": [first[:31] + "f" * 21 + "p" * 26 + "f" * 172]})
    (panel,) = compare(base, other, "recipe").panels

    assert panel.noise.source == "a"
    assert panel.noise.within == pytest.approx(0.078)
    assert panel.interpretation == "inside_noise_floor"
    assert "noise_floor_of_one_arm" in codes(panel.reasons)


def test_the_floor_of_both_arms_is_the_mean_of_theirs(compared):
    a, b = ["p" * 40 + "f" * 60, "p" * 30 + "f" * 70], ["p" * 60 + "f" * 40, "p" * 40 + "f" * 60]
    (panel,) = compared(a, b).panels

    assert panel.noise.source == "both"
    assert panel.noise.within == pytest.approx((0.05 + 0.10) / 2)
    assert panel.runs == (2, 2)


def test_identical_replicates_gate_nothing(compared):
    (panel,) = compared(["p" * 60 + "f" * 60] * 2, ["p" * 50 + "f" * 70] * 2).panels

    assert panel.noise.source == "not_measured"
    assert panel.interpretation == "regressed"
    assert codes(panel.reasons).count("replicates_identical") == 2


def test_swapping_the_arms_turns_the_difference_round(compared, make_run):
    first, second = arms(29, 7, 250, both=20)
    forth = compared(first, second).panels[0]
    back = compared(second, first).panels[0]

    assert back.difference == -forth.difference
    assert (back.ci95.lo, back.ci95.hi) == (-forth.ci95.hi, -forth.ci95.lo)
    assert back.p_exact == forth.p_exact
    assert (back.improved_ids, back.regressed_ids) == (forth.regressed_ids, forth.improved_ids)


def test_task_ids_are_sorted_and_only_those_that_both_scored(make_run):
    tasks = ("zeta", "alpha", "mid")
    a = make_run("base", {"suite": ["pfu"]}, tasks=tasks)
    b = make_run("tuned", {"suite": ["fpp"]}, tasks=tuple(reversed(tasks)))
    (panel,) = compare(a, b, "recipe").panels

    assert panel.task_ids == ("alpha", "zeta")
    assert panel.improved + panel.regressed + panel.unchanged == panel.paired_tasks == 2


def test_different_task_sets_are_refused_and_a_250_is_never_held_against_a_500(make_run):
    a = make_run("base", {"suite": ["p" * 250 + "f" * 250]})
    b = make_run("tuned", {"suite": ["p" * 125 + "f" * 125]})

    with pytest.raises(UsageError, match=r"500 tasks .* and 250 .*--allow-different-tasks"):
        compare(a, b, "recipe")
    (panel,) = compare(a, b, "recipe", rules=Rules(allow_different_tasks=True)).panels
    assert [arm.planned for arm in panel.arms] == [250, 250]
    assert [arm.rate for arm in panel.arms] == [1.0, 0.5]
    assert len(panel.only_in_a) == 250
    assert panel.only_in_b == ()
    assert codes(panel.reasons)[0] == "different_task_sets"


def test_runs_without_a_common_task_or_suite_are_refused(make_run):
    a = make_run("base", {"suite": ["pp"]}, tasks=("a", "b"))

    with pytest.raises(UsageError, match="share no task"):
        compare(
            a, make_run("tuned", {"suite": ["pp"]}, tasks=("c", "d")), None, rules=Rules(allow_different_tasks=True)
        )
    with pytest.raises(UsageError, match="share no suite: suite against other"):
        compare(a, make_run("third", {"other": ["pp"]}), None)


def test_scores_of_different_definitions_are_refused(make_run):
    a, b = make_run("base", {"suite": ["pp"]}), make_run("tuned", {"suite": ["pp"]})
    b = replace(b, panels=(replace(b.panels[0], score_definition="resolved/total"),))

    with pytest.raises(UsageError, match="resolved/total"):
        compare(a, b, "recipe")


def test_a_suite_of_one_run_only_is_said_and_not_compared(make_run):
    a, b = make_run("base", {"suite": ["pf"], "more": ["pf"]}), make_run("tuned", {"suite": ["pf"]})

    assert compare(a, b, "recipe").not_compared == {"more": "a"}


def test_missing_grades_on_one_side_only_are_tested_and_said(compared):
    (panel,) = compared("p" * 20 + "u" * 10, "p" * 15 + "f" * 5 + "p" * 10).panels

    assert (panel.missing.tasks_a, panel.missing.tasks_b, panel.missing.tasks_both) == (10, 0, 0)
    assert panel.missing.p == pytest.approx(2 / 2**10)
    assert {"differential_missingness", "unscored_can_flip"} <= set(codes(panel.reasons))
    assert "coverage" in codes(panel.reportable.reasons)


def test_a_degenerate_replicate_design_does_not_count_unplanned_places_as_missing(make_run):
    a, b = make_run("base", {"suite": ["pf", "p."]}), make_run("tuned", {"suite": ["pf", "f."]})
    a, b = (replace(run, panels=(replace(run.panels[0], absent=(("repo-001", 2),)),)) for run in (a, b))
    (panel,) = compare(a, b, "recipe").panels

    assert (panel.missing.tasks_a, panel.missing.tasks_b, panel.missing.tasks_both) == (0, 0, 0)
    assert [arm.completeness for arm in panel.arms] == ["complete", "complete"]
    assert (panel.bracket.lo, panel.bracket.hi) == pytest.approx((-1 / 3, -1 / 3))


def test_equivalence_needs_a_declared_margin(compared):
    first, second = arms(6, 6, 250, both=20)

    assert compared(first, second).panels[0].interpretation == "inconclusive"
    assert compared(first, second, Rules(margin=0.05)).panels[0].interpretation == "equivalent"
    assert compared(first, second, Rules(margin=0.01)).panels[0].interpretation == "inconclusive"


def test_graders_of_two_versions_are_said(make_run):
    a = make_run("base", {"suite": ["pf"]})
    b = make_run("tuned", {"suite": ["pf"]}, change=lambda e: replace(e, grader_version="swebench 5.1.0"))

    reasons = {reason.code: reason for reason in compare(a, b, "recipe").panels[0].reasons}
    assert reasons["grader_versions_differ"].figures == {"a": "swebench 5.0.2", "b": "swebench 5.1.0"}


def test_the_json_keeps_the_pilots_keys_and_their_order(compared):
    form = compared(*arms(29, 7, 250)).as_json()

    assert list(form)[:3] == ["conditions", "comparisons", "bootstrap"]
    assert list(form["comparisons"]["suite"])[:10] == [
        "paired_tasks",
        "task_ids",
        "difference",
        "ci95",
        "interval_degenerate",
        "improved",
        "regressed",
        "unchanged",
        "interpretation",
        "preregistered_decision",
    ]
    assert {key: form["bootstrap"][key] for key in ("method", "samples", "seed", "confidence")} == {
        "method": "paired percentile",
        "samples": 10000,
        "seed": 0,
        "confidence": 0.95,
    }


def test_every_comparison_carries_what_it_could_have_detected(compared):
    (panel,) = compared(*arms(21, 18, 250, both=31)).panels

    # statistics.md: discordant share .156 of 250 tasks, exact McNemar, power 80%.
    assert panel.mde80 == pytest.approx(0.072, abs=0.0005)
    assert panel.interpretation == "inconclusive"


def test_what_could_be_detected_is_null_where_nothing_says_how_noisy_runs_are(compared):
    (panel,) = compared(["p" * 60 + "f" * 60] * 2, ["p" * 50 + "f" * 70] * 2).panels

    assert panel.mde80 is None
