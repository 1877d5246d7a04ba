"""The embedded engine as an Inspect model. Imports Inspect, so it is imported where a model is asked for."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from arena.errors import ServeError
from arena.execute.episode_key import EpisodeKey, current_episode
from arena.execute.serving.batching import Generated, Request
from arena.execute.serving.prompts import WRITTEN
from arena.execute.serving.sampling import Sampling, call_seed
from arena.execute.serving.tool_calls import read_turn
from arena.records.calls import Call, CallWriter, FinishReason

if TYPE_CHECKING:
    from arena.execute.serving.embedded import Embedded

UNSUPPORTED = (
    "best_of",
    "extra_body",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "num_choices",
    "presence_penalty",
    "response_schema",
    "stop_seqs",
    "top_k",
)
"""Settings that would change what is generated and that this engine does not have."""


@dataclass(frozen=True)
class _Started:
    """A call as it begins."""

    id: str
    number: int
    episode: EpisodeKey | None
    sampling: Sampling
    at: datetime
    clock: float

    @classmethod
    def now(cls, episode: EpisodeKey | None, number: int, config: GenerateConfig) -> "_Started":
        identity = f"{episode.id}/c{number}" if episode else f"c{number}-{uuid4().hex[:12]}"
        sampling = Sampling(
            temperature=1.0 if config.temperature is None else config.temperature,
            top_p=1.0 if config.top_p is None else config.top_p,
            seed=call_seed(config.seed or 0, episode, number),
        )
        return cls(identity, number, episode, sampling, datetime.now(UTC), monotonic())


def embedded_model(server: "Embedded", writer: CallWriter | None) -> Model:
    """Return an Inspect model that generates on `server`."""
    config = GenerateConfig(
        temperature=server.generate.temperature,
        top_p=server.generate.top_p,
        max_tokens=server.generate.max_tokens,
        seed=server.generate.seed,
    )
    return Model(EmbeddedAPI(server, writer), config)


@modelapi(name="embedded")
class EmbeddedAPI(ModelAPI):
    """Renders, generates, parses and records."""

    def __init__(self, server: "Embedded", writer: CallWriter | None) -> None:
        super().__init__(f"{server.spec.base.name}@{server.spec.policy_version[:8]}")
        self._server = server
        self._writer = writer
        self._numbers: Counter[EpisodeKey | None] = Counter()

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's name
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        _refuse_unsupported(config, tool_choice)
        episode = current_episode()
        call = _Started.now(episode, self._numbers[episode], config)
        self._numbers[episode] += 1
        prompt = await asyncio.to_thread(self._server.prompts.prompt, input, tools)
        generated = await self._generate(prompt, call.sampling, config.max_tokens)
        if self._writer is not None:
            self._writer.append(self._record(call, input, prompt, generated))
        stopped = generated.finish_reason == "stop"
        text = self._server.prompts.decode(generated.tokens[:-1] if stopped else generated.tokens)
        return model_output(self.model_name, call.id, prompt, generated, text)

    async def _generate(self, prompt: list[int] | None, sampling: Sampling, max_tokens: int | None) -> Generated:
        room = 0 if prompt is None else self._server.prompts.max_model_len - len(prompt)
        if prompt is None or room <= 0:
            return Generated([], [], "model_length")
        at_limit: FinishReason = "model_length" if max_tokens is None or max_tokens > room else "max_tokens"
        request = Request(prompt, min(room, max_tokens or room), at_limit, sampling)
        return await asyncio.wrap_future(self._server.batcher.submit(request))

    def _record(
        self, call: _Started, messages: Sequence[ChatMessage], prompt: list[int] | None, generated: Generated
    ) -> Call:
        episode = call.episode
        return Call(
            suite=episode.suite if episode else None,
            task=episode.task if episode else None,
            replicate=episode.replicate if episode else None,
            attempt=episode.attempt if episode else None,
            episode=episode.id if episode else None,
            parent_episode=episode.parent if episode else None,
            call=call.number,
            call_id=call.id,
            parent_call_id=self._parent(messages),
            policy_version=self._server.spec.policy_version,
            prompt_tokens=prompt,
            generated_tokens=generated.tokens,
            logprobs=generated.logprobs,
            finish_reason=generated.finish_reason,
            temperature=call.sampling.temperature,
            top_p=call.sampling.top_p,
            seed=call.sampling.seed,
            started_at=call.at,
            seconds=monotonic() - call.clock,
        )

    def _parent(self, messages: Sequence[ChatMessage]) -> str | None:
        written = [m.id for m in messages if m.role == "assistant" and m.model == self.model_name]
        return written[-1] if written else None

    async def count_text_tokens(self, text: str) -> int:
        return len(await self.tokenize(text))

    async def tokenize(self, text: str) -> list[int]:
        return await asyncio.to_thread(self._server.prompts.tokens, text)

    def max_connections(self) -> int:
        return self._server.limits.rows

    def connection_key(self) -> str:
        return self.model_name

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def model_output(
    model: str, call_id: str, prompt: Sequence[int] | None, generated: Generated, text: str
) -> ModelOutput:
    """Return what a model wrote as Inspect's output; a call that cannot be read is one with a `parse_error`."""
    turn = read_turn(text)
    tool_calls = [
        ToolCall(
            id=f"{call_id}/{place}",
            function=written.name,
            arguments=dict(written.arguments),
            parse_error=written.error,
        )
        for place, written in enumerate(turn.calls)
    ]
    message = ChatMessageAssistant(
        id=call_id,
        content=turn.content,
        tool_calls=tool_calls or None,
        model=model,
        source="generate",
        metadata={WRITTEN: text} if text != turn.content else None,
    )
    reason: Any = "tool_calls" if tool_calls and generated.finish_reason == "stop" else generated.finish_reason
    read, wrote = (len(prompt or ()) if generated.tokens else 0), len(generated.tokens)
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason=reason)],
        usage=ModelUsage(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote),
        input_context_tokens=None if prompt is None else len(prompt),
    )


def _refuse_unsupported(config: GenerateConfig, tool_choice: ToolChoice) -> None:
    """Refuse what would otherwise be left out silently."""
    asked = [name for name in UNSUPPORTED if getattr(config, name, None)]
    if config.num_choices == 1:
        asked.remove("num_choices")
    if tool_choice not in ("auto", "none"):
        asked.append(f"tool_choice={tool_choice}")
    if asked:
        raise ServeError(f"the embedded engine does not have {', '.join(asked)}; leave it out or choose another engine")
