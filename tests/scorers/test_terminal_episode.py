"""A whole episode of mini_terminal: a scripted model in react with the workdir plug-in, graded at its end."""

import gc
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool

from arena.execute.agent import build_harness, episode_solver, task_limits
from arena.execute.sandboxes.open import probe, sandbox_spec
from arena.execute.serving.scripted import Call, Reply, Turn, scripted_model
from arena.execute.serving.serving import ServeSpec
from arena.suites.mini_terminal import suite
from scorers.terminal_bench import scorer
from solvers.workdir import PROCEDURE

pytestmark = pytest.mark.filterwarnings("ignore:.*MemoryObject:pytest.PytestUnraisableExceptionWarning")


def test_a_model_that_follows_the_procedure_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (tried := probe()).works:
        pytest.skip(f"no sandbox here: {tried.reason}")
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    source = suite()
    (task,) = source.tasks(["word-count"])
    commands = ["pwd; ls", task.solution, "cat words.txt"]

    def script(turn: Turn) -> Reply:
        if turn.number < len(commands):
            return Reply(calls=(Call("bash", {"command": commands[turn.number]}),))
        return Reply(calls=(Call("submit", {"answer": "done"}),))

    harness = build_harness("solvers.react:solver", {}, ["solvers.workdir:plugin"])
    metadata = {
        "suite": source.name,
        "task_folder": task.workdir,
        "replicate": 1,
        "attempt": 1,
        "solution": task.solution,
        "grading": dict(task.grading),
        "grading_environment": source.grading_environment(task).model_dump(mode="json"),
    }
    environment = sandbox_spec(source.environment(task))
    logs = inspect_eval(
        Task(
            dataset=[Sample(id=task.id, input=task.prompt, sandbox=environment, metadata=metadata)],
            solver=episode_solver(harness),
            scorer=scorer(),
        ),
        model=scripted_model("test", script, ServeSpec(tmp_path, None, (), "none")),
        log_dir=str(tmp_path / "logs"),
        display="none",
        **task_limits(harness),
    )
    gc.collect()

    assert logs[0].samples
    (sample,) = logs[0].samples
    said = [message.text for message in sample.messages if isinstance(message, ChatMessageTool)]
    assert sample.messages[0].text.endswith(PROCEDURE.replace("{task_folder}", "/app"))
    assert said[:3] == ["/app\ntexts", "", "4 harbour\n4 ships\n3 bell\n3 clock\n3 noon\n3 tide\n1 again"]
    assert sample.scores
    assert sample.scores["terminal_bench"].value == "C"
