"""A model at work on generated tasks: its calls are carried out on the task's file, which is compared in the end."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from trainers.tasks import tools
from trainers.tasks.chat import Messages, call, result
from trainers.tasks.repairs import FOLDER, Repair, prompt

CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
Complete = Callable[[Sequence[Messages]], Sequence[str]]


@dataclass
class Attempt:
    """One task while it is worked on."""

    repair: Repair
    text: str
    messages: Messages = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    done: bool = False

    @property
    def solved(self) -> bool:
        return self.text == self.repair.right


def attempts(complete: Complete, repairs: Sequence[Repair], turns: int = 5) -> list[Attempt]:
    """Work on all tasks at once, turn by turn."""
    made = [Attempt(repair, repair.broken, prompt(repair)) for repair in repairs]
    for _ in range(turns):
        open_ones = [attempt for attempt in made if not attempt.done]
        if not open_ones:
            break
        for attempt, reply in zip(open_ones, complete([a.messages for a in open_ones]), strict=True):
            take_turn(attempt, reply)
    return made


def take_turn(attempt: Attempt, reply: str) -> None:
    attempt.replies.append(reply)
    made = parse(reply)
    if made is None or made[0] == "submit":
        attempt.done = True
        return
    name, arguments = made
    attempt.messages += [call(name, **arguments), result(answer(attempt, name, arguments))]


def answer(attempt: Attempt, name: str, arguments: dict[str, str]) -> str:
    """Carry out a call as far as it is one that an agent is taught; whatever else it may be prints nothing."""
    repair = attempt.repair
    command = arguments.get("command", "") if name == "bash" else ""
    if command == tools.grep_command(repair.name, repair.path, FOLDER):
        return tools.grep_function(attempt.text, repair.name)
    match = tools.SUBSTITUTION.fullmatch(command)
    if match and match[1] == FOLDER and match[3] == str(tools.CONTEXT) and match[6] == repair.path:
        old = re.sub(r"\\([\[\]*.])", r"\1", match[4])
        attempt.text = tools.substitute(attempt.text, match[2], old, match[5])
    return ""


def parse(reply: str) -> tuple[str, dict[str, str]] | None:
    """Return the name and arguments of the first well-formed call of a reply."""
    match = CALL.search(reply)
    if match is None:
        return None
    try:
        made = json.loads(match[1])
        name, arguments = made["name"], made["arguments"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(arguments, dict) or not all(isinstance(value, str) for value in arguments.values()):
        return None
    return str(name), arguments
