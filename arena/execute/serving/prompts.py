"""Messages and tools to the exact tokens that a model is given, by the checkpoint's own chat template."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import ServeError, boundary
from arena.execute.serving.tool_calls import read_turn

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolInfo

HEAD_CHARS_PER_TOKEN = 8
WRITTEN = "written"
"""Key of a message's metadata: the text of the turn exactly as the model wrote it, where parsing took it apart."""


@dataclass(frozen=True)
class PromptMaker:
    """A tokenizer with its chat template."""

    tokenizer: Any
    """Of transformers, backed by the tokenizers library."""
    max_model_len: int
    thinking: bool | None
    """Given to the template as `enable_thinking`; none leaves it to the template."""
    longest_token: int
    """Characters in the vocabulary's longest token."""

    @classmethod
    def load(cls, folder: Path, max_model_len: int, thinking: bool | None) -> "PromptMaker":
        from transformers import AutoTokenizer

        with boundary(ServeError, f"{folder}: the tokenizer could not be read"):
            tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        if not tokenizer.chat_template:
            raise ServeError(f"{folder}: has no chat template; a chat cannot be shown to this model")
        if not hasattr(tokenizer, "backend_tokenizer"):
            raise ServeError(f"{folder}: has no tokenizer.json, which this engine reads; convert the tokenizer")
        return cls(tokenizer, max_model_len, thinking, max(map(len, tokenizer.get_vocab())))

    def prompt(self, messages: "Sequence[ChatMessage]", tools: "Sequence[ToolInfo]") -> list[int] | None:
        """Return the prompt's tokens, or none for one so long that it was not tokenised."""
        return self.encode(self.render(messages, tools))

    def render(self, messages: "Sequence[ChatMessage]", tools: "Sequence[ToolInfo]") -> str:
        thinking = {} if self.thinking is None else {"enable_thinking": self.thinking}
        with boundary(ServeError, "the chat template refused the conversation"):
            text = self.tokenizer.apply_chat_template(
                [template_message(message) for message in messages],
                tools=[template_tool(tool) for tool in tools] or None,
                add_generation_prompt=True,
                tokenize=False,
                **thinking,
            )
        return str(text)

    def encode(self, text: str) -> list[int] | None:
        """Return the text's tokens, or none where it is sure to be longer than the model reads."""
        if len(text) > self.max_model_len * self.longest_token:
            return None
        head = text[: self.max_model_len * HEAD_CHARS_PER_TOKEN]
        if len(head) < len(text) and len(self.tokens(head)) > 2 * self.max_model_len:
            return None
        return self.tokens(text)

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self.tokenizer.backend_tokenizer.decode(list(tokens), skip_special_tokens=False))

    def tokens(self, text: str) -> list[int]:
        # the tokenizer's own call changes its state, and calls come from many threads
        return list(self.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False).ids)


def template_tool(tool: "ToolInfo") -> dict[str, Any]:
    """Return a tool in OpenAI's form."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters.model_dump(exclude_none=True),
        },
    }


def template_message(message: "ChatMessage") -> dict[str, Any]:
    """Return a message as chat templates read it."""
    if not isinstance(message.content, str) and any(part.type not in ("text", "reasoning") for part in message.content):
        raise ServeError("this engine reads text only; a message holds something else")
    if message.role == "tool":
        text = f"Error: {message.error.message}" if message.error else message.text
        return {"role": "tool", "content": text, "name": message.function, "tool_call_id": message.tool_call_id}
    if message.role != "assistant":
        return {"role": message.role, "content": message.text}
    written = _as_written(message)
    if written is not None:
        return {"role": "assistant", "content": written}
    calls = [
        {"type": "function", "id": call.id, "function": {"name": call.function, "arguments": call.arguments}}
        for call in message.tool_calls or []
    ]
    return {"role": "assistant", "content": message.text} | ({"tool_calls": calls} if calls else {})


def _as_written(message: Any) -> str | None:
    """Return the text that the model itself wrote, unless the message has been edited since or is someone else's."""
    written = (message.metadata or {}).get(WRITTEN)
    if not isinstance(written, str):
        return None
    turn = read_turn(written)
    calls = [(call.name, dict(call.arguments)) for call in turn.calls]
    now = [(call.function, call.arguments) for call in message.tool_calls or []]
    return written if (turn.content, calls) == (message.text, now) else None
