"""The plain harness: Inspect's own react loop with a shell, an edit and a submit."""

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import HarnessError
from arena.execute.harness import Harness, Limits
from arena.spec.invalid import did_you_mean
from solvers.tools import BASH, EDIT, SUBMIT

if TYPE_CHECKING:
    from inspect_ai.agent import Agent, AgentState

PROMPT = (
    "You are a software engineer. The repository is in {task_folder}. "
    "Find and fix the cause of the issue below, then call submit."
)
CONTINUE = "Call a tool, or submit."


class ReactOptions(BaseModel):
    """What a cell may say under `harness.with`."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)

    message_limit: int | None = Field(60, gt=0)
    """Messages in the conversation, the system's and the tools' included."""
    token_limit: int | None = Field(None, gt=0)
    """Tokens read and written, over all calls."""
    turn_limit: int | None = Field(None, gt=0)
    """Calls of the model."""
    wall_s: float | None = Field(None, gt=0)
    """Seconds on the clock; the suite's own limit on a task holds beside it."""
    working_s: float | None = Field(None, gt=0)
    """Seconds without the waiting for a busy model or sandbox."""
    cost_limit: float | None = Field(None, gt=0)
    """In the price table's currency."""
    command_timeout_s: int = Field(60, gt=0)
    output_chars: int = Field(4000, ge=100, le=200_000)
    """A tool's output is cut to this many characters, keeping its head and its tail."""


def solver(**parameters: object) -> Harness:
    """Return the harness; raises `HarnessError` for a parameter that is unknown or out of its range."""
    options = _options(parameters)
    if options.message_limit is options.token_limit is options.turn_limit is None:
        raise HarnessError(
            "solvers.react: message_limit, token_limit and turn_limit are all null, so a model that never submits "
            "would go on for ever; set one of them"
        )
    return Harness(
        name="react",
        prompt=PROMPT,
        tools=(BASH, EDIT, SUBMIT),
        limits=Limits(
            messages=options.message_limit,
            tokens=options.token_limit,
            turns=options.turn_limit,
            wall_s=options.wall_s,
            working_s=options.working_s,
            cost=options.cost_limit,
        ),
        agent=agent,
        command_timeout_s=options.command_timeout_s,
        output_chars=options.output_chars,
        notes={"continue": CONTINUE, "overflow": "inspect_ai.model.trim_messages"},
    )


def _options(parameters: dict[str, object]) -> ReactOptions:
    try:
        return ReactOptions.model_validate(parameters)
    except ValidationError as cause:
        wrong = [_said(error["loc"], error["msg"], error["input"]) for error in cause.errors()]
        raise HarnessError("\n".join(wrong)) from cause


def _said(place: tuple[int | str, ...], message: str, got: object) -> str:
    key = str(place[0])
    if key in ReactOptions.model_fields:
        return f"solvers.react: {key}: {message}, got {got!r}"
    return f"solvers.react: {key!r} is no parameter{did_you_mean(key, ReactOptions.model_fields)}"


def agent(harness: Harness) -> "Agent":
    """Build Inspect's react agent from a finished harness."""
    from inspect_ai.agent import AgentPrompt, AgentSubmit, react

    from arena.execute.agent import inspect_tools

    tools = inspect_tools(harness)
    if "submit" not in tools:
        raise HarnessError("solvers.react: the harness has no tool `submit`, so an episode could not end; add one")
    submit = tools.pop("submit")
    return react(
        prompt=AgentPrompt(harness.prompt, handoff_prompt=None, assistant_prompt=None, submit_prompt=None),
        tools=list(tools.values()),
        submit=AgentSubmit(tool=submit, answer_only=True, keep_in_messages=True),
        on_continue=_go_on,
        truncation="auto",
    )


async def _go_on(state: "AgentState") -> bool | str:
    """Put a failed call's error where every provider shows it, and urge on a model that called nothing."""
    from inspect_ai.model import ChatMessageTool

    for message in reversed(state.messages):
        if not isinstance(message, ChatMessageTool):
            break
        if message.error and not message.text:
            message.content = f"Error: {message.error.message}"
    return True if state.output.message.tool_calls else CONTINUE
