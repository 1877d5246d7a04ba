import pytest

from arena.records.claims import ArmState, ClaimLedger
from arena.report.claims import decisions
from arena.report.rounds import whole_rounds
from arena.report.stopping import stop_state
from arena.spec.claim import Claim
from arena.spec.study import Stop

NOTHING = {(cell, "suite"): ArmState(cell, None, 0, 0, 0, None) for cell in ("tuned", "base")}


@pytest.fixture
def progress(make_run, tmp_path):
    def run(first, second, most=4, **claim):
        given = {"id": "better", "treatment": "tuned", "comparator": "base", "suite": "suite", **claim}
        locks = ClaimLedger(tmp_path / "runs").lock("study:one", [Claim(**given)], NOTHING, Stop(replicates_max=most))
        runs = [make_run("base", {"suite": first}), make_run("tuned", {"suite": second})]
        return stop_state(locks, runs), decisions(locks, runs).decisions[0]

    return run


def test_rounds_are_added_until_the_e_value_reaches_its_goal(progress):
    # Round 1: 5 gained. Round 2: 3 tasks more differ for the first time, and one that did before counts no second time.
    first = ["f" * 40, "f" * 40]
    second = ["p" * 5 + "f" * 35, "fp" + "f" * 3 + "p" * 3 + "f" * 32]
    early, _ = progress([first[0], "." * 40], [second[0], "." * 40])
    later, decided = progress(first, second)
    (claim,) = later.claims

    assert (early.claims[0].standing, early.another_round) == ("open", True)
    assert [(one.gained, one.lost, one.tied) for one in claim.rounds] == [(5, 0, 35), (8, 0, 32)]
    assert claim.rounds[-1].e_value == pytest.approx(50.3, abs=0.1)
    assert (claim.standing, later.another_round) == ("decided", False)
    assert (decided.word, decided.e_value) == ("supports", claim.rounds[-1].e_value)
    assert decided.p_adjusted == pytest.approx(1 / claim.rounds[-1].e_value)


def test_the_exact_p_of_one_look_does_not_decide_where_one_looks_after_every_round(progress):
    # 7 to 0: exact p = .0156, but 1 / e = .0417; 6 to 0: p = .031, e = 11.
    _, decided = progress(["f" * 40], ["p" * 6 + "f" * 34])

    assert decided.p_exact < 0.05 < decided.p_adjusted
    assert decided.word == "does_not_resolve"


def test_a_round_that_is_not_whole_is_left_out(progress, make_run):
    state, _ = progress(["f" * 30, "f" * 30], ["p" * 4 + "f" * 26, "p" * 29 + "."])

    assert whole_rounds(make_run("x", {"suite": ["pp", "p."]}), "suite") == 1
    assert len(state.claims[0].rounds) == 1


def test_what_can_no_longer_be_decided_is_futile(progress):
    # As many gained as lost, and almost nothing tied: no further round can make up for it.
    first, second = "p" * 15 + "f" * 15 + "f" * 3, "f" * 15 + "p" * 15 + "f" * 3
    state, _ = progress([first], [second])

    assert (state.claims[0].standing, state.another_round) == ("futile", False)
    assert state.claims[0].chance < 0.05


def test_a_study_ends_when_its_replicates_are_spent(progress):
    state, decided = progress(["f" * 40], ["p" * 3 + "f" * 37], most=1)

    assert state.claims[0].standing == "spent"
    assert decided.word == "does_not_resolve"


def test_before_the_first_whole_round_nothing_has_begun(progress):
    state, _ = progress(["pf"], ["p."])

    assert (state.claims[0].standing, state.another_round) == ("not_begun", True)
    assert state.as_json()["claims"][0]["rounds"] == []


def test_a_family_raises_the_goal(progress, tmp_path, make_run):
    state, _ = progress(["f" * 40], ["p" * 7 + "f" * 33])

    assert state.claims[0].goal == 20
    claims = [Claim(id=name, treatment="tuned", comparator="base", suite="suite") for name in "ab"]
    locks = ClaimLedger(tmp_path / "two").lock("study:two", claims, NOTHING, Stop())
    both = stop_state(
        locks, [make_run("base", {"suite": ["f" * 40]}), make_run("tuned", {"suite": ["p" * 7 + "f" * 33]})]
    )

    assert [(one.goal, one.standing) for one in both.claims] == [(40, "open"), (40, "open")]


def test_a_group_sequential_study_decides_by_its_own_test(make_run, tmp_path):
    claim = Claim(id="better", treatment="tuned", comparator="base", suite="suite")
    stop = Stop(design="group_sequential", replicates_max=3)
    locks = ClaimLedger(tmp_path / "runs").lock("study:one", [claim], NOTHING, stop)
    one, two = "p" * 9 + "f" * 31, "p" * 10 + "f" * 30
    first = [make_run("base", {"suite": ["f" * 40]}), make_run("tuned", {"suite": [one]})]
    later = [make_run("base", {"suite": ["f" * 40] * 2}), make_run("tuned", {"suite": [one, two]})]
    (early,), (decided,) = decisions(locks, first).decisions, decisions(locks, later).decisions

    # 9 to 0 has an exact p of .004: enough for one look, not for the first of three, where .0007 may be spent.
    assert (early.word, early.p_exact < 0.004) == ("does_not_resolve", True)
    assert (decided.word, decided.p_adjusted < 0.05) == ("supports", True)
    assert stop_state(locks, later).claims[0].standing == "decided"
