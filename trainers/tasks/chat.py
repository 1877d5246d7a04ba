"""Messages in the chat format that the tokenizer's template renders."""

from typing import Any

Message = dict[str, Any]
Messages = list[Message]


def _tool(name: str, description: str, **arguments: str) -> Message:
    properties = {key: {"type": "string", "description": text} for key, text in arguments.items()}
    parameters = {"type": "object", "properties": properties, "required": list(arguments)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = (
    _tool("bash", "Run a shell command.", command="The command to run."),
    _tool(
        "edit",
        "Replace the single occurrence of a text in a file.",
        path="The file.",
        old="The text to replace.",
        new="The text to put in its place.",
    ),
    _tool("submit", "Hand in the work.", answer="A closing remark, if any."),
)
"""The tools of the stock harness, as a chat template is given them."""


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
