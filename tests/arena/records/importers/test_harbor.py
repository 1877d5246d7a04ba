from pathlib import Path
from typing import Any

import pytest

from arena.errors import RecordError
from arena.records.importers import harbor
from arena.records.importers.imported import Options
from arena.records.scores import score


def outcomes(found: Any) -> dict[str, tuple[str, str | None, str, str | None]]:
    return {one.task: (one.execution, one.limit, one.grade, one.reason) for one in found.episodes}


def test_a_timeout_with_a_reward_is_graded_and_one_without_is_not(made: Any, tmp_path: Path) -> None:
    trial = made.harbor_trial
    trials = {
        "a__1": trial("a", 1, 1.0),
        "b__1": trial("b", 1, 1.0, "AgentTimeoutError"),
        "c__1": trial("c", 1, None, "AgentTimeoutError"),
        "d__1": trial("d", 1, None, "DaytonaError"),
        "e__1": trial("e", 1, 0.0, "ValueError"),
        "f__1": trial("f", 1, None, "VerifierTimeoutError"),
        "g__1": trial("g", 1, 0.5),
        "h__1": trial("h", 1, None),
    }
    found = harbor.read(made.harbor(tmp_path / "job", trials))
    assert outcomes(found) == {
        "a": ("completed", None, "pass", None),
        "b": ("limit", "wall", "pass", None),
        "c": ("limit", "wall", "unscored", "AgentTimeoutError"),
        "d": ("sandbox_error", None, "unscored", "DaytonaError"),
        "e": ("harness_error", None, "fail", "tests_failed"),
        "f": ("completed", None, "unscored", "VerifierTimeoutError"),
        "g": ("completed", None, "fail", "reward 0.5"),
        "h": ("completed", None, "unscored", "no_reward"),
    }
    assert any("ValueError has a reward all the same" in note for note in found.notes)


def test_official_score_and_harness_mean_differ_on_the_same_trials(made: Any, tmp_path: Path) -> None:
    trial = made.harbor_trial
    trials = {
        "a__1": trial("a", 1, 1.0),
        "a__2": trial("a", 2, None, "DaytonaError"),
        "a__3": trial("a", 3, 0.0),
        "b__1": trial("b", 1, 1.0),
        "b__2": trial("b", 2, None, "AgentTimeoutError"),
        "b__3": trial("b", 3, 1.0),
    }
    found = harbor.read(made.harbor(tmp_path / "job", trials, n_attempts=3))
    (panel,) = found.panels
    assert score("tb2_official", panel, found.episodes).value == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert score("tb2_official", panel, found.episodes).stderr == pytest.approx((0.25 + (2 / 9) / 2) ** 0.5 / 2)
    assert score("harbor_mean", panel, found.episodes).value == pytest.approx(3 / 6)
    assert score("reward_1/scored", panel, found.episodes).value == pytest.approx(3 / 4)


def test_trials_without_a_result_and_trials_without_a_folder_are_planned(made: Any, tmp_path: Path) -> None:
    job = made.harbor(tmp_path / "job")
    made.write(job / "result.json", {"n_total_trials": 5})
    made.write(job / "d__1" / "config.json", {"agent": {"name": "pi", "model_name": "lab/tiny"}})
    (line,) = harbor.read(job).lines
    assert (line.planned, line.recorded, line.passed, line.failed, line.unscored) == (5, 4, 1, 1, 3)
    assert line.unscored_reasons["not_finished"] == 1
    assert (line.bracket.lo, line.bracket.hi) == (0.2, 0.8)


def test_a_damaged_trial_keeps_its_place_without_a_grade(made: Any, tmp_path: Path) -> None:
    job = made.harbor(tmp_path / "job")
    made.write(job / "b__1" / "result.json", '{"task_name": "terminal-bench/b", "trial_na')
    found = harbor.read(job)
    assert outcomes(found)["b"] == ("unrecorded", None, "unscored", "unreadable")
    assert [one.place for one in found.unreadable] == [str(job / "b__1" / "result.json")]


def test_older_records_have_the_reward_alone_and_no_config(made: Any, tmp_path: Path) -> None:
    trial = made.harbor_trial("a", 1, None)
    del trial["config"]
    trial |= {"verifier_result": {"reward": 1.0}, "agent_info": {"name": "pi", "model_info": {"name": "tiny"}}}
    job = made.harbor(tmp_path / "job", {"a__1": trial})
    assert outcomes(harbor.read(job))["a"] == ("completed", None, "pass", None)
    assert outcomes(harbor.read(job / "a__1"))["a"] == ("completed", None, "pass", None)


def test_two_agents_are_two_cells(made: Any, tmp_path: Path) -> None:
    other = made.harbor_trial("a", 2, 0.0)
    other["config"]["agent"]["name"] = "codex"
    job = made.harbor(tmp_path / "job", {"a__1": made.harbor_trial("a", 1, 1.0), "a__2": other})
    with pytest.raises(RecordError, match=r"2 agents.*codex/lab/tiny, pi/lab/tiny"):
        harbor.read(job)
    (episode,) = harbor.read(job, Options(only="pi/lab/tiny")).episodes
    assert episode.grade == "pass"


def test_what_the_records_say_of_the_system_is_known_and_no_price_is_no_zero(made: Any, tmp_path: Path) -> None:
    found = harbor.read(made.harbor(tmp_path / "job"))
    assert found.known["model.base"] == "lab/tiny"
    assert found.known['evaluate."terminal-bench@2.0".timeout_multiplier'] == 1.0
    episode = next(one for one in found.episodes if one.task == "a")
    assert (episode.cost, episode.tokens_in, episode.tokens_out, episode.working_s) == (None, 10, 3, 9.0)
    assert (episode.delegations, episode.weights_digest) == (None, "unrecorded")
    assert episode.environment_digest == "harbor task_checksum sum of a"


def test_more_trials_than_were_planned_are_refused(made: Any, tmp_path: Path) -> None:
    trials = {f"a__{number}": made.harbor_trial("a", number, 1.0) for number in (1, 2)}
    with pytest.raises(RecordError, match="1 trials of each task were planned, and 'a' has 2"):
        harbor.read(made.harbor(tmp_path / "job", trials))


def test_a_mean_that_disagrees_with_its_trials_is_said(made: Any, tmp_path: Path) -> None:
    job = made.harbor(tmp_path / "job")
    stats = {"evals": {"pi__tiny": {"metrics": [{"mean": 0.9}]}}}
    made.write(job / "result.json", {"n_total_trials": 3, "stats": stats})
    (said,) = harbor.read(job).disagreements
    assert "states harbor_mean 0.9" in said
    assert "give 33.3%" in said
