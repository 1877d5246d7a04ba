import json

import pytest

from arena.errors import LockedError, RecordError
from arena.records.claims import ArmState, ClaimLedger
from arena.spec.claim import Claim
from arena.spec.study import Stop

NOTHING = {
    ("sft", "mini_swe"): ArmState("sft", None, 0, 0, 0, None),
    ("base", "mini_swe"): ArmState("base", "base/aaaaaaaa", 20, 3, 0, "d1"),
}
MEASURED = NOTHING | {("sft", "mini_swe"): ArmState("sft", "sft/11111111", 20, 5, 0, "d2")}


def claim(**changes):
    return Claim(**{"id": "better", "treatment": "sft", "comparator": "base", "suite": "mini_swe", **changes})


@pytest.fixture
def ledger(tmp_path):
    return ClaimLedger(tmp_path)


def test_a_claim_is_locked_with_what_the_comparator_had_by_then(ledger):
    (locked,) = ledger.lock("study:one", [claim()], NOTHING)

    assert not locked.late
    assert locked.comparator == NOTHING["base", "mini_swe"]
    assert locked.first_runs == {"comparator": "base/aaaaaaaa"}
    assert ledger.locked() == (locked,)


def test_locking_again_writes_nothing(ledger):
    ledger.lock("study:one", [claim()], NOTHING)
    before = (ledger.root / "claims.jsonl").read_bytes()
    ledger.lock("study:one", [claim()], MEASURED)

    assert (ledger.root / "claims.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        {"margin": 0.01},
        {"alpha": 0.1},
        {"direction": "regresses"},
        {"correction": "bh"},
        {"family": "other"},
        {"factor": "recipe"},
        {"metric": "other"},
        {"comparator": "another"},
    ],
)
def test_a_changed_claim_is_refused_whatever_was_run(ledger, change):
    ledger.lock("study:one", [claim()], NOTHING)
    (name, value) = next(iter(change.items()))

    with pytest.raises(LockedError, match=f"{name} was .*, got {value!r}") as refused:
        ledger.lock("study:one", [claim(**change)], NOTHING)
    assert refused.value.exit_code == 3
    assert len(ledger.locked()) == 1


def test_a_removed_claim_is_refused_and_named(ledger):
    ledger.lock("study:one", [claim(), claim(id="second")], NOTHING)

    with pytest.raises(LockedError, match=r"'second' was locked at .* and is gone; put it back"):
        ledger.lock("study:one", [claim()], NOTHING)


def test_a_claim_made_after_the_treatment_was_measured_is_late(ledger):
    ledger.lock("study:one", [claim()], NOTHING)
    first, second = ledger.lock("study:one", [claim(), claim(id="afterwards")], MEASURED)

    assert (first.late, second.late) == (False, True)


def test_a_log_that_nobody_closed_may_hold_results(ledger):
    arms = NOTHING | {("sft", "mini_swe"): ArmState("sft", "sft/11111111", 0, 0, 1, None)}

    assert ledger.lock("study:one", [claim()], arms)[0].late


def test_the_same_id_in_another_scope_is_another_claim(ledger):
    ledger.lock("study:one", [claim()], NOTHING)
    ledger.lock("study:two", [claim(margin=0.1)], NOTHING)

    assert [one.claim.margin for one in ledger.locked()] == [0.0, 0.1]


def test_the_run_that_decides_is_the_last_that_began_before_anything_was_measured(ledger):
    ledger.lock("study:one", [claim()], NOTHING)
    ledger.begin("sft/11111111", NOTHING)
    ledger.begin("sft/11111111", NOTHING)
    ledger.begin("sft/22222222", NOTHING)
    ledger.begin("sft/33333333", MEASURED)
    (locked,) = ledger.locked()

    assert locked.first_runs["treatment"] == "sft/22222222"
    assert locked.later_runs == ("sft/33333333",)
    assert len((ledger.root / "claims.jsonl").read_text().splitlines()) == 4


def test_a_claim_of_another_study_keeps_that_studys_word(ledger):
    ledger.take_over("study:pilot", claim(), MEASURED, "contradicts_predicted_improvement")
    (locked,) = ledger.locked()

    assert (locked.imported, locked.late) == (True, False)
    assert locked.published_decision == "contradicts_predicted_improvement"


def test_a_changed_line_is_noticed(ledger):
    ledger.lock("study:one", [claim(), claim(id="second")], NOTHING)
    path = ledger.root / "claims.jsonl"
    path.write_text(path.read_text().replace('"alpha": 0.05', '"alpha": 0.5', 1))

    with pytest.raises(LockedError):
        ledger.locked()


def test_a_line_of_another_kind_is_named(ledger):
    line = {"event": "unlocked", "at": "", "previous": "0" * 64, "data": {"scope": "study:one", "id": "better"}}
    (ledger.root / "claims.jsonl").write_text(json.dumps(line) + "\n")

    with pytest.raises(RecordError, match=r"claims\.jsonl:1: not a claim's line"):
        ledger.locked()


def test_a_changed_stopping_rule_is_refused(ledger):
    (locked,) = ledger.lock("study:one", [claim()], NOTHING, Stop())

    assert locked.stop == Stop(when="decided", design="e_value", e_value=20, replicates_max=10)
    with pytest.raises(LockedError, match=r"with stop when: decided, .* e_value: 20\.0, .* got none"):
        ledger.lock("study:one", [claim()], NOTHING)
