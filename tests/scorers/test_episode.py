"""Whole episodes of mini_swe: a scripted model in the react harness, its work graded where it ended."""

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample, read_eval_log

from arena.execute.agent import episode_solver, task_limits
from arena.execute.sandboxes.open import probe, sandbox_spec
from arena.execute.serving import scripts
from arena.execute.serving.scripted import Call, Reply, Script, Turn, scripted_model
from arena.execute.serving.serving import ServeSpec
from arena.suites.mini_swe import suite
from scorers.regrade import regrade
from scorers.swe_bench import scorer
from solvers.react import solver

pytestmark = pytest.mark.filterwarnings("ignore:.*MemoryObject:pytest.PytestUnraisableExceptionWarning")

Run = Callable[..., EvalSample]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    if not (tried := probe()).works:
        pytest.skip(f"no sandbox here: {tried.reason}")
    source = suite()
    task = source.tasks(source.ids()[:1])[0]
    patches = tmp_path / "patches.json"
    patches.write_text(json.dumps({task.id: task.grading["patch"]}))
    environment = source.environment(task)
    spec = ServeSpec(tmp_path, None, (), "none", arguments={"patches": str(patches)})

    def run(script: Script, **limits: Any) -> EvalSample:
        harness = solver(**limits)
        metadata = {
            "suite": "mini_swe",
            "task_folder": task.workdir,
            "replicate": 1,
            "attempt": 1,
            "grading": dict(task.grading),
            "grading_environment": source.grading_environment(task).model_dump(mode="json"),
        }
        sample = Sample(id=task.id, input=task.prompt, sandbox=sandbox_spec(environment), metadata=metadata)
        logs = inspect_eval(
            Task(dataset=[sample], solver=episode_solver(harness), scorer=scorer()),
            model=scripted_model("test", script, spec),
            log_dir=str(tmp_path / "logs"),
            display="none",
            fail_on_error=False,
            **task_limits(harness),
        )
        gc.collect()
        samples = read_eval_log(logs[0].location).samples
        assert samples
        return samples[0]

    return run


def said(sample: EvalSample) -> tuple[str | None, object, object]:
    assert sample.error is None, sample.error.traceback
    assert sample.scores
    (score,) = sample.scores.values()
    assert score.metadata
    return sample.limit.type if sample.limit else None, score.metadata["grade"], score.metadata["reason"]


def test_the_gold_script_resolves_its_task(run: Run) -> None:
    assert said(run(scripts.gold)) == (None, "pass", None)


def test_grading_again_is_an_edit_that_says_who_and_why(run: Run, tmp_path: Path) -> None:
    run(scripts.gold)
    (log,) = (tmp_path / "logs").glob("*.eval")

    (regraded,) = regrade(log, author="a reader", reason="a new grader")

    assert (regraded.before, regraded.after) == ("pass", "pass")
    samples = read_eval_log(str(log)).samples
    assert samples
    assert samples[0].scores
    (score,) = samples[0].scores.values()
    first, second = score.history
    assert first.provenance is None
    assert second.provenance
    assert (second.provenance.author, second.provenance.reason) == ("a reader", "a new grader")
    assert second.provenance.metadata["grader_version"].startswith("swebench 5.")
    assert score.value == "C"
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_an_episode_without_work_has_an_empty_patch(run: Run) -> None:
    assert said(run(scripts.silent, message_limit=6)) == ("message", "fail", "empty_patch")


def test_work_that_a_limit_ended_keeps_its_grade(run: Run) -> None:
    def never_ending(turn: Turn) -> Reply:
        return scripts.gold(turn) if turn.number == 0 else Reply(calls=(Call("bash", {"command": "sleep 30"}),))

    assert said(run(never_ending, wall_s=3)) == ("time", "pass", None)


def test_a_model_that_kills_all_it_can_ends_nothing_but_its_own(run: Run) -> None:
    def murderous(turn: Turn) -> Reply:
        return Reply(calls=(Call("bash", {"command": "kill -9 -1; kill -9 1; echo still here"}),))

    assert said(run(murderous, turn_limit=2)) == ("turn", "fail", "empty_patch")
