"""Scripts for a scripted model: a diligent one, a silent one, a clumsy one and an endless one."""

import json
from pathlib import Path

from arena.errors import ServeError
from arena.execute.serving.scripted import Call, Reply, Turn, seeded


def gold(turn: Turn) -> Reply:
    """Apply the gold patch in a seeded share of the episodes, and hand in.

    Reads from `serve.args`: `patches`, a JSON file of task → patch; `share`, between 0 and 1 (1 where it is not said).
    """
    if turn.number > 0 or not _solves(turn):
        return Reply(calls=(Call("submit"),))
    patch = _patches(turn)[turn.episode.task]
    command = f"git apply --whitespace=nowarn - <<'{_END}'\n{patch.removesuffix(chr(10))}\n{_END}"
    return Reply("I have found the cause.", (Call("bash", {"command": f"cd {_folder(turn)} && {command}"}),))


_END = "END_OF_THE_PATCH"


def _solves(turn: Turn) -> bool:
    drawn = seeded("gold", turn.episode.suite, turn.episode.task, turn.episode.replicate).random()
    return drawn < float(turn.arguments.get("share", 1))


def _patches(turn: Turn) -> dict[str, str]:
    file = Path(str(turn.arguments.get("patches", "")))
    try:
        found: dict[str, str] = json.loads(file.read_text(encoding="utf8"))
    except (OSError, ValueError) as cause:
        raise ServeError(f"serve.args.patches: {file}: {cause}; name a JSON file of task and patch") from cause
    return found


def _folder(turn: Turn) -> str:
    """Return the repository's folder as the prompt of `solvers.react` names it."""
    return turn.messages[0].text.partition("The repository is in ")[2].partition(". ")[0] or "."


def silent(turn: Turn) -> Reply:
    """Never call a tool."""
    return Reply("I see.")


def malformed(turn: Turn) -> Reply:
    """Get every call wrong in turn: the tool's name, an argument's name, its type, the whole text; then hand in."""
    wrong = (
        Call("shell", {"command": "ls"}),
        Call("bash", {"cmd": "ls"}),
        Call("bash", {"command": ["ls"]}),
        Call("bash", {}, parse_error='Error parsing the following tool call arguments:\n\n{"command": "ls\n'),
        Call("edit", {"path": "missing.py", "old": "a"}),
    )
    return Reply(calls=(wrong[turn.number] if turn.number < len(wrong) else Call("submit"),))


def endless(turn: Turn) -> Reply:
    """Write ten megabytes, as text and into a call in turn, and never hand in."""
    flood = "all work and no play " * 500_000
    if turn.number % 2:
        return Reply(flood)
    return Reply(calls=(Call("bash", {"command": f"echo {flood}"}),))


def overflowing(turn: Turn) -> Reply:
    """Say at once that the conversation does not fit."""
    return Reply(stop_reason="model_length")
