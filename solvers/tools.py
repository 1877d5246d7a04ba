"""The tools of our own harnesses: run a command, replace a text, hand in."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from arena.errors import SandboxError
from arena.execute.harness import Harness, HarnessTool
from arena.execute.tool_output import command_output, exit_line

if TYPE_CHECKING:
    from inspect_ai.tool import Tool

COMMAND_CHARS = 100_000
"""A longer command does not fit the kernel's limit on one argument."""


def _strings(*optional: str, **properties: str) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "description": text} for name, text in properties.items()},
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _bash(harness: Harness) -> "Tool":
    from inspect_ai.util import OutputLimitExceededError, sandbox

    seconds, limit = harness.command_timeout_s, harness.output_chars

    async def bash(command: str) -> str:
        if len(command) > COMMAND_CHARS:
            return f"[not run: the command has {len(command)} characters, at most {COMMAND_CHARS} are run]"
        try:
            with _sandbox_kept():
                ran = await sandbox().exec(
                    ["bash", "-c", command], cwd=harness.workdir, timeout=seconds, timeout_retry=False
                )
        except TimeoutError as late:
            said = getattr(late, "truncated_output", None) or ""
            return command_output(said, "", f"[timed out after {seconds} s]", limit)
        except OutputLimitExceededError as long:
            return command_output(long.truncated_output or "", "", f"[more output than {long.limit_str}]", limit)
        return command_output(ran.stdout, ran.stderr, exit_line(ran.returncode), limit)

    return bash


def _edit(harness: Harness) -> "Tool":
    from inspect_ai.util import OutputLimitExceededError, sandbox

    async def edit(path: str, old: str, new: str) -> str:
        place = str(PurePosixPath(harness.workdir or "", path))
        try:
            with _sandbox_kept():
                found = await sandbox().read_file(place, text=False)
                changed = replaced(found, old, new, path)
                if isinstance(changed, str):
                    return changed
                await sandbox().write_file(place, changed)
        except FileNotFoundError:
            return f"no file {path}"
        except (IsADirectoryError, NotADirectoryError):
            return f"{path} is not a file"
        except PermissionError:
            return f"no permission to change {path}"
        except OutputLimitExceededError as long:
            return f"{path} is longer than {long.limit_str}"
        return ""

    return edit


def replaced(found: bytes, old: str, new: str, path: str) -> bytes | str:
    """Return the file with its one occurrence of `old` replaced, or what is wrong, in words for the model."""
    if not old:
        return "old text is empty"
    before = old.encode(errors="surrogatepass")
    times = found.count(before)
    if times == 0:
        return f"old text not found in {path}"
    if times > 1:
        return f"old text occurs {times} times in {path}"
    return found.replace(before, new.encode(errors="surrogatepass"))


def _submit(harness: Harness) -> "Tool":
    async def submit(answer: str = "") -> str:
        return answer

    return submit


@contextmanager
def _sandbox_kept() -> Iterator[None]:
    """End the episode when its sandbox is lost: Inspect would have the model call on into the void."""
    from inspect_ai.util import SandboxUnavailableError

    try:
        yield
    except SandboxUnavailableError as lost:
        raise SandboxError(f"the sandbox was lost while the agent worked: {lost}") from lost


BASH = HarnessTool(
    name="bash",
    description="Run a shell command.",
    parameters=_strings(command="The command to run."),
    build=_bash,
)
EDIT = HarnessTool(
    name="edit",
    description="Replace the single occurrence of a text in a file.",
    parameters=_strings(path="The file.", old="The text to replace.", new="The text to put in its place."),
    build=_edit,
)
SUBMIT = HarnessTool(
    name="submit",
    description="Hand in the work.",
    parameters=_strings("answer", answer="A closing remark, if any."),
    build=_submit,
)
