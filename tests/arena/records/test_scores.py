import csv
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.records.importers.imported import Options
from arena.records.importers.reading import Source
from arena.records.importers.rows import Findings, Outcome, Planned, Trial, imported
from arena.records.scores import DEFINITIONS, score

LETTERS = {
    "p": Outcome("completed", grade="pass"),
    "f": Outcome("completed", grade="fail", reason="tests_failed"),
    "u": Outcome("completed", reason="no_reward"),
    "t": Outcome("limit", "wall", reason="AgentTimeoutError"),
    "e": Outcome("sandbox_error", reason="DaytonaError"),
    "n": Outcome("pending", reason="not_finished"),
}


def value(name: str, trials_of: dict[str, str], **plan: Any) -> float | None:
    """Return a score of tasks, each with one letter for a trial."""
    trials = [Trial(task, LETTERS[letter], task) for task, letters in trials_of.items() for letter in letters]
    found = imported("test", Findings(Source(Path("nowhere")), Options()), [(Planned("s", **plan), trials)], ())
    return score(name, found.panels[0], found.episodes).value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("resolved/scored", 2 / 3),
        ("reward_1/scored", 2 / 3),
        ("resolved/planned", 2 / 7),
        ("resolved/submitted", 2 / 6),
        ("tb1_accuracy", 2 / 6),
        ("tb2_official", (1 + 0 + 1 / 3) / 3),
        ("harbor_mean", 2 / 6),
        ("verifiers_all", 2 / 6),
        ("verifiers_effective", 2 / 5),
        ("inspect_accuracy", (1 + 1 / 2) / 2),
        ("lm_eval_mean", 2 / 3),
    ],
)
def test_the_same_trials_have_as_many_scores_as_definitions(name: str, expected: float) -> None:
    assert value(name, {"a": "pe", "b": "t", "c": "pfun"}) == pytest.approx(expected)


def test_every_definition_is_tested_and_has_a_text() -> None:
    assert all(len(one.text) > 20 for one in DEFINITIONS.values())
    assert len(DEFINITIONS) == 11


def test_the_official_score_needs_every_task() -> None:
    assert value("tb2_official", {"a": "p", "b": "e"}) is None
    assert value("tb2_official", {"a": "p"}, tasks=("a", "b")) is None


def test_nothing_graded_is_null_and_not_zero() -> None:
    assert value("resolved/scored", {"a": "u"}) is None
    assert value("inspect_accuracy", {"a": "e"}) is None
    assert value("verifiers_effective", {"a": "e"}) is None


def test_a_name_that_is_not_defined_is_told_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'resolved/scored'"):
        value("resolved/score", {"a": "p"})


def test_a_public_run_has_two_rates_that_nobody_should_mix_up() -> None:
    """One run of Terminal-Bench 1 has 63 of 80 trials ungraded: published as 6/80, of the graded ones 6/17."""
    file = Path(__file__).parents[4] / "shared" / "data" / "tb_trials.csv"
    if not file.is_file():
        pytest.skip("the public trials are not here")
    with file.open(newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["benchmark"] == "terminal-bench-core-0.1.1"]
    letters = {"1": "p", "0": "f", "": "u"}
    run = {row["task"]: letters[row["reward"]] for row in rows if row["run"] == "2025-08-15__19-28-24"}
    assert value("tb1_accuracy", run) == pytest.approx(6 / 80)
    assert value("resolved/scored", run) == pytest.approx(6 / 17)
