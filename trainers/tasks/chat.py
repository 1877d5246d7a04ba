"""Messages in the chat format that the tokenizer's template renders."""

from typing import Any

Message = dict[str, Any]
Messages = list[Message]

TOOLS = tuple({"type": "function", "function": {"name": name}} for name in ("bash", "edit", "submit"))


def call(name: str, **arguments: str) -> Message:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}


def result(text: str) -> Message:
    return {"role": "tool", "content": text}


def texts(messages: Messages) -> list[str]:
    """Return every text of a conversation: contents, and the arguments of calls."""
    found = []
    for message in messages:
        found.append(str(message.get("content") or ""))
        for made in message.get("tool_calls") or ():
            arguments = made["function"]["arguments"]
            found += [arguments] if isinstance(arguments, str) else [str(value) for value in arguments.values()]
    return [text for text in found if text]
