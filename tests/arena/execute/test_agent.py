"""Episodes of scripted models in Inspect's local sandbox: each end is an outcome of its own."""

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageTool

from arena.errors import HarnessError, SandboxError, ServeError
from arena.execute.agent import build_harness, episode_solver, resolved, task_limits
from arena.execute.episode_key import EpisodeKey, current_episode
from arena.execute.harness import Harness, HarnessTool
from arena.execute.serving import scripts
from arena.execute.serving.scripted import Call, Reply, Script, Turn, scripted_model
from arena.execute.serving.serving import ServeSpec
from solvers.react import solver as react

Run = Callable[..., EvalSample]

# Inspect leaves a stream of its own unclosed when a tool call ends by an exception
pytestmark = pytest.mark.filterwarnings("ignore:.*MemoryObject:pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "code.py").write_text("def f():\n    return 1\n")

    def run(script: Script, harness: Harness | None = None, **metadata: Any) -> EvalSample:
        harness = harness or react()
        spec = ServeSpec(base=tmp_path, adapter=None, stop_token_ids=(), policy_version="none")
        said = {"suite": "s", "task_folder": str(folder), "replicate": 1, "attempt": 1, **metadata}
        task = Task(
            dataset=[Sample(id="t1", input="It is broken.", metadata=said)],
            solver=episode_solver(harness),
            sandbox="local",
        )
        logs = inspect_eval(
            task,
            model=scripted_model("test", script, spec),
            log_dir=str(tmp_path / "logs"),
            display="none",
            fail_on_error=False,
            **task_limits(harness),
        )
        gc.collect()
        assert logs[0].samples
        return logs[0].samples[0]

    return run


def shown(sample: EvalSample) -> list[str]:
    return [message.text for message in sample.messages if isinstance(message, ChatMessageTool)]


def test_an_agent_works_in_the_tasks_folder_and_hands_in(run: Run, tmp_path: Path) -> None:
    keys: list[EpisodeKey | None] = []

    def script(turn: Turn) -> Reply:
        keys.append(current_episode())
        steps = (
            Call("bash", {"command": "pwd; echo oh >&2; exit 3"}),
            Call("edit", {"path": "code.py", "old": "return 1", "new": "return 2"}),
            Call("bash", {"command": "true"}),
            Call("submit", {"answer": "done"}),
        )
        return Reply(calls=(steps[turn.number],))

    sample = run(script, replace(react(), workdir="task"), replicate=4)

    folder = tmp_path / "repo"
    assert shown(sample) == [f"{folder}\noh\n[exit code 3]", "", "", "done"]
    assert (folder / "code.py").read_text() == "def f():\n    return 2\n"
    assert sample.messages[0].text.startswith(f"You are a software engineer. The repository is in {folder}. Find")
    assert (sample.error, sample.limit) == (None, None)
    assert set(keys) == {EpisodeKey("s", "t1", 4, 1)}


def test_every_malformed_call_is_answered_with_what_was_wrong(run: Run) -> None:
    sample = run(scripts.malformed)

    answers = shown(sample)
    assert len(answers) == 6
    assert all(answers[:5]), answers
    assert "shell" in answers[0]
    assert "'cmd' was unexpected" in answers[1]
    assert "is not of type 'string'" in answers[2]
    assert "Error parsing" in answers[3]
    assert "'new' is a required property" in answers[4]
    assert sample.limit is None


@pytest.mark.parametrize(
    ("parameters", "limit"),
    [
        ({"message_limit": 7}, "message"),
        ({"token_limit": 300}, "token"),
        ({"turn_limit": 3}, "turn"),
    ],
)
def test_a_silent_model_ends_by_the_limit_that_it_reaches(run: Run, parameters: dict[str, int], limit: str) -> None:
    sample = run(scripts.silent, react(**parameters))

    assert sample.error is None
    assert sample.limit
    assert sample.limit.type == limit
    assert sample.messages[3].text == "Call a tool, or submit."


def test_a_flood_of_text_is_an_episode_that_reaches_its_limit(run: Run) -> None:
    sample = run(scripts.endless, react(turn_limit=2))

    assert sample.error is None
    assert sample.limit
    assert sample.limit.type == "turn"
    assert "not run: the command has" in shown(sample)[0]


def test_a_conversation_that_does_not_fit_ends_by_limit_context(run: Run) -> None:
    sample = run(scripts.overflowing)

    assert sample.error is None
    assert sample.limit
    assert sample.limit.type == "context"


@pytest.mark.parametrize(("harness_s", "task_s"), [(1, None), (None, 1), (60, 1)])
def test_the_shorter_of_the_harnesss_and_the_tasks_wall_time_ends_an_episode(
    run: Run, harness_s: float | None, task_s: float | None
) -> None:
    def sleepy(turn: Turn) -> Reply:
        return Reply(calls=(Call("bash", {"command": "sleep 20"}),))

    sample = run(sleepy, react(wall_s=harness_s), timeout_s=task_s)

    assert sample.limit
    assert sample.limit.type == "time"
    assert sample.total_time
    assert sample.total_time < 10


def test_a_command_that_takes_too_long_says_so_and_the_episode_goes_on(run: Run) -> None:
    def script(turn: Turn) -> Reply:
        return Reply(calls=(Call("submit") if turn.number else Call("bash", {"command": "echo hi; sleep 20"}),))

    sample = run(script, react(command_timeout_s=1))

    assert shown(sample)[0].splitlines()[-1] == "[timed out after 1 s]"
    assert (sample.error, sample.limit) == (None, None)


def test_a_script_that_fails_is_the_providers_error(run: Run) -> None:
    def broken(turn: Turn) -> Reply:
        raise RuntimeError("no route to host")

    sample = run(broken)

    assert sample.error
    assert sample.error.message.startswith("ServeError(")
    assert "no route to host" in sample.error.message


@pytest.mark.parametrize(
    ("error", "kind"),
    [(KeyError("x"), "HarnessError"), (SandboxError("gone"), "SandboxError"), (ServeError("gone"), "ServeError")],
)
def test_what_a_tool_raises_ends_the_episode_by_its_boundary(run: Run, error: Exception, kind: str) -> None:
    def build(harness: Harness) -> Any:
        async def bash(command: str) -> str:
            raise error

        return bash

    def script(turn: Turn) -> Reply:
        return Reply(calls=(Call("bash", {"command": "ls"}),))

    harness = react()
    tools = tuple(replace(tool, build=build) if tool.name == "bash" else tool for tool in harness.tools)
    sample = run(script, replace(harness, tools=tools))

    assert sample.error
    assert sample.error.message.startswith(f"{kind}(")


def test_a_plan_gets_prompt_tools_and_limits_without_inspect() -> None:
    code = (
        "import sys; from arena.execute.agent import resolved; from solvers.react import solver; "
        "assert resolved(solver())['limits']['messages'] == 60; assert 'inspect_ai' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_pinned_changes_with_a_tools_description() -> None:
    harness = react()
    tool: HarnessTool = replace(harness.tools[0], description="Run it.")

    assert resolved(replace(harness, tools=(tool, *harness.tools[1:]))) != resolved(harness)
    assert [tool["name"] for tool in resolved(harness)["tools"]] == ["bash", "edit", "submit"]


def test_a_harness_without_submit_is_refused() -> None:
    harness = replace(react(), tools=react().tools[:2])

    with pytest.raises(HarnessError, match="no tool `submit`"):
        harness.agent(harness)


MODULE = """
from dataclasses import replace

def shouting(harness):
    return replace(harness, prompt=harness.prompt.upper())

def asking(harness):
    return replace(harness, prompt=harness.prompt + " please")

def ruinous(harness):
    raise LookupError("nothing here")

def idle(harness):
    pass
"""


@pytest.fixture
def module(tmp_path: Path) -> Iterator[str]:
    name = f"plugins_{uuid4().hex}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    yield name
    sys.path[:] = [place for place in sys.path if place != str(tmp_path)]


def test_plugins_are_applied_in_their_order(module: str, tmp_path: Path) -> None:
    plugins = [f"{module}:shouting", f"{module}:asking"]
    harness = build_harness("solvers.react:solver", {"message_limit": 5}, plugins, tmp_path)

    assert harness.prompt.endswith("CALL SUBMIT. please")
    assert task_limits(harness) == {"message_limit": 5}


@pytest.mark.parametrize(
    ("plugin", "said"),
    [("ruinous", "LookupError: nothing here"), ("idle", "returned NoneType, not a Harness")],
)
def test_a_plugin_that_fails_is_named(module: str, tmp_path: Path, plugin: str, said: str) -> None:
    with pytest.raises(HarnessError, match=f"plug-in {module}:{plugin}: {said}"):
        build_harness("solvers.react:solver", {}, [f"{module}:{plugin}"], tmp_path)
