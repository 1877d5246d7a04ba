"""Terminal-Bench 1, verifiers, mini-swe-agent and lm-eval."""

from pathlib import Path
from typing import Any

import pytest

from arena.errors import RecordError
from arena.records.importers import lm_eval, mini_swe_agent, terminal_bench_1, verifiers
from arena.records.importers.imported import Imported, Options

Row = tuple[str, str | None, str, str | None]


def rows(found: Imported) -> dict[str, Row]:
    return {
        one.task if one.replicate == 1 else f"{one.task}/{one.replicate}": (
            one.execution,
            one.limit,
            one.grade,
            one.reason,
        )
        for one in found.episodes
    }


def scores(found: Imported) -> dict[str, float | None]:
    return {one.name: one.value for one in found.lines[0].scores}


def test_terminal_bench_1_keeps_verdicts_of_timeouts_and_counts_null_as_ungraded(made: Any, tmp_path: Path) -> None:
    trial = made.tb1_trial
    trials = [
        trial("a", True, "agent_timeout"),
        trial("b", False, "agent_timeout"),
        trial("c", None, "parse_error"),
        trial("d", None, "unknown_agent_error"),
    ]
    metadata = {"dataset_name": "core", "dataset_version": "0.1.1", "n_attempts": 1, "task_ids": [*"abcde"]}
    made.write(tmp_path / "results.json", {"results": trials, "accuracy": 1 / 4})
    made.write(tmp_path / "run_metadata.json", metadata)
    found = terminal_bench_1.read(tmp_path)
    assert rows(found) == {
        "a": ("limit", "wall", "pass", None),
        "b": ("limit", "wall", "fail", "tests_failed"),
        "c": ("completed", None, "unscored", "parse_error"),
        "d": ("harness_error", None, "unscored", "unknown_agent_error"),
    }
    assert scores(found) == {"resolved/scored": 1 / 2, "resolved/planned": 1 / 5, "tb1_accuracy": 1 / 4}
    assert found.disagreements == ()
    assert found.episodes[0].tokens_in is None


def test_terminal_bench_1_trials_alone_are_replicates_by_their_names(made: Any, tmp_path: Path) -> None:
    for number, resolved in ((1, True), (2, False)):
        trial = made.tb1_trial("a", resolved, number=number)
        made.write(tmp_path / "a" / trial["trial_name"] / "results.json", trial)
    (tmp_path / "b" / "b.1-of-2.agent").mkdir(parents=True)
    made.write(tmp_path / "b" / "b.1-of-2.agent" / "results.json", "{")
    found = terminal_bench_1.read(tmp_path)
    assert [rows(found)[key][2] for key in ("a", "a/2", "b")] == ["pass", "fail", "unscored"]
    assert found.panels[0].planned == 4


def test_terminal_bench_1_a_verdict_against_its_own_tests_is_none(made: Any, tmp_path: Path) -> None:
    trial = made.tb1_trial("a", False) | {"is_resolved": True}
    made.write(tmp_path / "results.json", {"results": [trial]})
    found = terminal_bench_1.read(tmp_path)
    assert rows(found)["a"] == ("completed", None, "unscored", "contradictory")
    assert "its parser_results say otherwise" in found.unreadable[0].reason


def test_verifiers_rows_are_replicates_of_their_examples(made: Any, tmp_path: Path) -> None:
    found = verifiers.read(made.verifiers(tmp_path))
    assert {key: row[2] for key, row in rows(found).items()} == {
        "0": "pass",
        "0/2": "fail",
        "1": "pass",
        "1/2": "unscored",
        "2": "fail",
        "2/2": "fail",
    }
    assert scores(found)["verifiers_all"] == pytest.approx(2 / 6)


def test_verifiers_a_lost_line_stays_planned(made: Any, tmp_path: Path) -> None:
    folder = made.verifiers(tmp_path)
    text = (folder / "results.jsonl").read_text().splitlines()
    (folder / "results.jsonl").write_text("\n".join([*text[:3], text[3][:9], *text[4:]]))
    found = verifiers.read(folder)
    assert (found.lines[0].planned, found.lines[0].unscored) == (6, 1)
    assert found.unreadable[0].place.endswith("results.jsonl:4")


def test_verifiers_traces_without_a_reward_are_never_zero(made: Any, tmp_path: Path) -> None:
    episode = made.trace_episode
    judged = {"solved": {"score": 1.0, "weight": 1.0}, "style": None}
    cases = [
        episode("a", 1.0),
        episode("b", 0.0, stop_condition="max_turns"),
        episode("c", None),
        episode("d", 1.0, ok=False),
        episode("e", 1.0, rewards=judged),
        episode("f", 0.25),
    ]
    made.lines(tmp_path / "traces.jsonl", cases)
    found = verifiers.read(tmp_path)
    assert rows(found) == {
        "a": ("completed", None, "pass", None),
        "b": ("limit", "turn", "fail", "tests_failed"),
        "c": ("completed", None, "unscored", "no_reward"),
        "d": ("sandbox_error", None, "unscored", "SandboxError"),
        "e": ("completed", None, "unscored", "no_reward"),
        "f": ("completed", None, "fail", "reward 0.25"),
    }
    assert scores(found)["verifiers_all"] is None
    assert "neither 0 nor 1" in str(found.lines[0].scores[2].why)
    first = found.episodes[0]
    assert (first.tokens_in, first.tokens_out, first.turns, first.working_s, first.delegations) == (5, 2, 1, 3.0, 0)


def test_verifiers_a_zero_that_may_be_an_unreadable_file_is_marked(made: Any, tmp_path: Path) -> None:
    unsure = made.trace_episode("a", 0.0) | {"env": {"id": "harbor", "name": "terminal-bench-2"}}
    sure = made.trace_episode("b", 0.0, info={"verifier_output": "1 failed"}) | {"env": unsure["env"]}
    made.lines(tmp_path / "traces.jsonl", [unsure, sure])
    found = verifiers.read(tmp_path)
    assert [rows(found)[key][3] for key in "ab"] == ["scored_unverified", "tests_failed"]


def test_a_threshold_grades_rewards_between_and_stands_in_the_definition(made: Any, tmp_path: Path) -> None:
    made.lines(tmp_path / "traces.jsonl", [made.trace_episode("a", 0.25), made.trace_episode("b", 0.75)])
    found = verifiers.read(tmp_path, Options(pass_at=0.5))
    assert [rows(found)[key][2] for key in "ab"] == ["fail", "pass"]
    assert found.panels[0].score_definition == "reward_1/scored, reward >= 0.5"
    assert scores(found)["verifiers_all"] is None


def test_mini_swe_agent_grades_only_what_an_empty_patch_says(made: Any, tmp_path: Path) -> None:
    made.write(tmp_path / "o__r-2" / "o__r-2.traj.json", {})
    found = mini_swe_agent.read(made.mini(tmp_path))
    assert rows(found) == {
        "o__r-1": ("completed", None, "unscored", "not_graded"),
        "o__r-2": ("limit", None, "fail", "empty_patch"),
        "o__r-3": ("provider_error", None, "unscored", "RateLimitError"),
        "o__r-4": ("completed", None, "fail", "empty_patch"),
    }
    assert found.known["model.base"] == "lab/tiny"
    assert found.episodes[0].cost == 0.5


@pytest.mark.parametrize(
    ("calls", "cost", "limit"), [(10, 0.5, "turn"), (4, 3.5, "cost"), (10, 3.5, None), (4, 0.5, None)]
)
def test_mini_swe_agent_says_which_limit_where_it_can_be_told(
    made: Any, tmp_path: Path, calls: int, cost: float, limit: str | None
) -> None:
    stats = {"instance_cost": cost, "api_calls": calls}
    made.write(tmp_path / "t.traj.json", made.trajectory("LimitsExceeded", model_stats=stats))
    (episode,) = mini_swe_agent.read(tmp_path / "t.traj.json").episodes
    assert (episode.execution, episode.limit) == ("limit", limit)


def test_lm_eval_documents_are_episodes_and_aggregates_are_not(made: Any, tmp_path: Path) -> None:
    folder = made.lm_eval(tmp_path)
    found = lm_eval.read(folder)
    assert scores(found)["lm_eval_mean"] == pytest.approx(2 / 3)
    assert found.disagreements == ()
    next(folder.glob("samples_*")).unlink()
    alone = lm_eval.read(folder)
    assert (alone.episodes, alone.panels) == ((), ())
    assert [(one.name, one.value) for one in alone.published] == [("acc,none", pytest.approx(2 / 3))]


def test_lm_eval_one_of_several_filters_is_chosen_by_name(made: Any, tmp_path: Path) -> None:
    folder = made.lm_eval(tmp_path)
    file = next(folder.glob("samples_*"))
    made.lines(
        file,
        [
            {"doc_id": number, "acc": acc, "filter": by}
            for by, values in {"strict": (1.0, 0.0, 0.0), "flexible": (1.0, 1.0, 0.0)}.items()
            for number, acc in enumerate(values)
        ],
    )
    with pytest.raises(RecordError, match="choose one: acc,flexible, acc,strict"):
        lm_eval.read(folder)
    assert scores(lm_eval.read(folder, Options(scorer="acc,strict")))["resolved/scored"] == pytest.approx(1 / 3)
