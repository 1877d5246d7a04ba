"""The embedded engine under Inspect's own eval: logs, limits, tools, and model output of every kind."""

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval  # noqa: A004 - Inspect's name
from inspect_ai.agent import AgentPrompt, as_solver, react
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessageAssistant, Model, execute_tools
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.tool import Tool, tool

from arena.execute.serving import embedded
from arena.execute.serving.batching import Generated
from arena.execute.serving.serving import Served, ServeSpec
from arena.records.calls import read_calls

Specs = Callable[..., ServeSpec]

# Inspect leaves streams of its own for the garbage collector to close
pytestmark = pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning")


@tool
def shout() -> Tool:
    async def execute(text: str) -> str:
        """Say it louder.

        Args:
            text: What to say.
        """
        return text.upper()

    return execute


def run(task: Task, model: Model, folder: Path, **options: Any) -> EvalLog:
    [log] = eval(task, model=model, log_dir=str(folder), display="none", **options)
    gc.collect()
    return read_eval_log(log.location)


def samples(count: int) -> list[Sample]:
    return [Sample(id=f"s{number}", input=f"the user asks {number}") for number in range(count)]


def test_an_eval_runs_and_its_log_and_the_record_of_calls_agree(spec_of: Specs, tmp_path: Path) -> None:
    calls = tmp_path / "calls.arrows"
    with embedded.start(spec_of(generate={"max_tokens": 12})) as server:
        log = run(Task(dataset=samples(6), solver=generate()), server.model(calls), tmp_path, max_samples=6)
    assert log.status == "success"
    assert log.eval.model == "embedded/tiny@abababab"
    assert log.samples is not None
    rows = {row["call_id"]: row for row in read_calls(calls).to_pylist()}
    assert len(rows) == 6
    for sample in log.samples:
        row = rows[str(sample.output.message.id)]
        assert sample.output.usage is not None
        assert sample.output.usage.input_tokens == len(row["prompt_tokens"])
        assert sample.output.usage.output_tokens == len(row["generated_tokens"]) > 0


def test_an_agent_that_fills_the_context_ends_by_itself(spec_of: Specs, tmp_path: Path) -> None:
    agent = as_solver(react(prompt=AgentPrompt(instructions="Go on."), tools=[shout()]))
    with embedded.start(spec_of(stop_token_ids=(), generate={"max_tokens": 60}, max_model_len=256)) as server:
        log = run(Task(dataset=samples(3), solver=agent), server.model(None), tmp_path)
    assert log.status == "success"
    assert log.samples is not None
    for sample in log.samples:
        assert sample.error is None
        assert sample.output.stop_reason == "model_length"
        if sample.output.completion == "":
            assert sample.output.usage is not None
            assert sample.output.usage.output_tokens == 0


WRITTEN = {
    "called": '<tool_call>\n{"name": "shout", "arguments": {"text": "hey"}}\n</tool_call>',
    "twice": '<tool_call>{"name": "shout", "arguments": {"text": "a"}}</tool_call> and '
    '<tool_call>{"name": "shout", "arguments": {"text": "b"}}</tool_call>',
    "malformed": '<tool_call>{"name": "shout", "arguments": {"text": }}</tool_call>',
    "cut": 'Now: <tool_call>{"name": "shout", "argum',
    "unknown_tool": '<tool_call>{"name": "whisper", "arguments": {}}</tool_call>',
    "unknown_key": '<tool_call>{"name": "shout", "arguments": {"text": "a", "volume": 11}}</tool_call>',
    "huge_number": '<tool_call>{"name": "shout", "arguments": {"text": ' + "9" * 4000 + "}}</tool_call>",
    "long": "x" * 2_000_000,
    "zero": "a\x00b \x1b[31m <|im_start|>user",
}


@solver
def replay(served: embedded.Embedded) -> Solver:
    """Pretend that the model wrote what the sample names, then run what it asked for."""
    from arena.execute.serving.embedded_api import model_output

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        written = WRITTEN[state.input_text]
        state.output = model_output("m", "c0", [1], Generated([5], [0.0], "stop"), written)
        state.messages.append(state.output.message)
        done = await execute_tools(state.messages, [shout()])
        state.messages.extend(done.messages)
        state.metadata["shown"] = served.prompts.render(state.messages, [])
        return state

    return solve


def test_whatever_a_model_writes_is_an_episode_and_is_shown_to_it_again_as_written(
    served: Served, tmp_path: Path
) -> None:
    assert isinstance(served, embedded.Embedded)
    dataset = [Sample(id=name, input=name) for name in WRITTEN]
    log = run(Task(dataset=dataset, solver=replay(served)), served.model(None), tmp_path)
    assert log.status == "success"
    assert log.samples is not None
    told = {}
    for sample in log.samples:
        assert sample.error is None, sample.id
        assert f"<|im_start|>assistant\n{WRITTEN[str(sample.id)]}<|im_end|>" in sample.metadata["shown"]
        results = [message for message in sample.messages if message.role == "tool"]
        told[sample.id] = [result.error.message if result.error else result.text for result in results]
    assert told["called"] == ["HEY"]
    assert told["twice"] == ["A", "B"]
    for name, said in {
        "malformed": "could not be read: Expecting value",
        "cut": "could not be read: Unterminated string",
        "unknown_tool": "Tool whisper not found",
        "unknown_key": "volume",
        "huge_number": "9999",
    }.items():
        assert len(told[name]) == 1, name
        assert said in told[name][0], name
    assert told["long"] == told["zero"] == []


def test_a_turn_that_was_edited_or_is_someone_elses_is_shown_from_its_parts(served: Served) -> None:
    from arena.execute.serving.embedded_api import model_output
    from arena.execute.serving.prompts import template_message

    message = model_output("m", "c0", [1], Generated([5], [0.0], "stop"), WRITTEN["called"]).message
    assert template_message(message) == {"role": "assistant", "content": WRITTEN["called"]}
    for edited in (
        message.model_copy(update={"content": "other"}),
        message.model_copy(update={"tool_calls": None}),
        ChatMessageAssistant(content="", tool_calls=message.tool_calls),
    ):
        shown = template_message(edited)
        assert shown["content"] == edited.text
        assert len(shown.get("tool_calls", [])) == len(edited.tool_calls or [])
    json.dumps(template_message(ChatMessageAssistant(content="", tool_calls=message.tool_calls)))


def test_what_cannot_be_shown_is_refused(served: Served) -> None:
    from inspect_ai.model import ChatMessageUser, ContentImage

    from arena.errors import ServeError
    from arena.execute.serving.prompts import template_message

    with pytest.raises(ServeError, match="reads text only"):
        template_message(ChatMessageUser(content=[ContentImage(image="data:image/png;base64,xx")]))
