"""A model that is a function: deterministic, quick, and as well or badly behaved as its script."""

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from arena.errors import ServeError, boundary
from arena.execute.episode_key import EpisodeKey, current_episode
from arena.execute.serving.serving import Served, ServeSpec

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model, ModelOutput

CHARS_PER_TOKEN = 4
"""A scripted model has no tokenizer; its usage is counted so."""


@dataclass(frozen=True)
class Call:
    """One tool call, as a model would write it."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    parse_error: str | None = None
    """Why the text of the call could not be read, for a model that writes broken ones."""


@dataclass(frozen=True)
class Turn:
    """What the script is shown: one generation."""

    messages: "Sequence[ChatMessage]"
    tools: tuple[str, ...]
    """Names of the tools that it may call."""
    episode: EpisodeKey
    number: int
    """From 0, within the conversation."""
    rng: random.Random
    """Seeded by task, replicate and number."""
    arguments: Mapping[str, Any]
    """The cell's `serve.args`."""


@dataclass(frozen=True)
class Reply:
    """What the script answers."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    stop_reason: str | None = None
    """Such as `model_length`; none for the one that text and calls imply."""


class Script(Protocol):
    def __call__(self, turn: Turn) -> Reply: ...


@contextmanager
def start(spec: ServeSpec) -> Iterator[Served]:
    """Serve the function that `arguments["script"]` names as `module:function`."""
    from arena.spec.plugin import load

    name = spec.arguments.get("script")
    if not isinstance(name, str):
        raise ServeError(f"serve.args.script: a scripted model needs `module:function`, got {name!r}")
    with boundary(ServeError, f"script {name}"):
        script = cast(Script, load(name))
    yield Scripted(name, script, spec)


@dataclass(frozen=True)
class Scripted:
    """A script as a served model."""

    name: str
    script: Script
    spec: ServeSpec

    @property
    def facts(self) -> Mapping[str, object]:
        return {"engine": "scripted", "script": self.name, "policy_version": self.spec.policy_version}

    def model(self, calls: Path | None = None) -> "Model":
        return scripted_model(self.name, self.script, self.spec)


def scripted_model(name: str, script: Script, spec: ServeSpec) -> "Model":
    """Return the script as an Inspect model."""
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelAPI, ModelOutput, modelapi
    from inspect_ai.tool import ToolChoice, ToolInfo

    @modelapi(name="scripted")
    class ScriptedAPI(ModelAPI):
        async def generate(
            self,
            input: list[ChatMessage],  # noqa: A002 - Inspect's name
            tools: list[ToolInfo],
            tool_choice: ToolChoice,
            config: GenerateConfig,
        ) -> ModelOutput:
            turn = _turn(input, tuple(tool.name for tool in tools), spec)
            return _output(f"scripted/{name}", script(turn), turn)

        def max_connections(self) -> int:
            return 1000

    return Model(ScriptedAPI(name), GenerateConfig())


def _turn(messages: "Sequence[ChatMessage]", tools: tuple[str, ...], spec: ServeSpec) -> Turn:
    episode = current_episode()
    if episode is None:
        raise ServeError("a scripted model was called outside an episode; run it through the arena's episode_solver")
    number = sum(message.role == "assistant" for message in messages)
    return Turn(
        messages=messages,
        tools=tools,
        episode=episode,
        number=number,
        rng=seeded(spec.generate.get("seed", 0), episode.suite, episode.task, episode.replicate, number),
        arguments=spec.arguments,
    )


def seeded(*parts: object) -> random.Random:
    """Return a generator whose stream depends on these parts alone, on every machine."""
    text = "\x1f".join(str(part) for part in parts)
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]))


def _output(model: str, reply: Reply, turn: Turn) -> "ModelOutput":
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, ModelUsage
    from inspect_ai.tool import ToolCall

    identity = f"{turn.episode.id}/{turn.number}"
    ids = count()
    calls = [
        ToolCall(
            id=f"{identity}/{next(ids)}",
            function=call.name,
            arguments=dict(call.arguments),
            parse_error=call.parse_error,
        )
        for call in reply.calls
    ]
    message = ChatMessageAssistant(content=reply.text, tool_calls=calls or None, model=model, source="generate")
    read = sum(len(message.text) for message in turn.messages) // CHARS_PER_TOKEN
    wrote = (len(reply.text) + sum(len(str(call.arguments)) for call in reply.calls)) // CHARS_PER_TOKEN + 1
    stop = cast(Any, reply.stop_reason or ("tool_calls" if calls else "stop"))
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
        # without usage Inspect fetches a token table from the network to make one up
        usage=ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote),
    )
