"""What the tools of a coding agent answer, computed without running them. The tests hold each against the real one."""

import re
from collections.abc import Iterator

SUBSTITUTION = re.compile(r"(?:cd (\S+) && )?sed -i '/def (\w+)\(/,/\^\$/s\|([^|]*)\|([^|]*)\|' (\S+)")
SPECIAL = frozenset("\\'|&^$\n")
"""What sed or the shell reads otherwise than as it stands, and is not escaped here."""


def show(text: str, name: str) -> str:
    """Return what `sed -n '/def name(/,/^$/p'` shows of a file: each function of the name, up to a blank line."""
    lines = text.splitlines()
    return "\n".join(line for line, inside in zip(lines, _inside(lines, name), strict=True) if inside)


def show_command(name: str, path: str, folder: str | None) -> str:
    return _in_folder(folder, f"sed -n '/def {name}(/,/^$/p' {path}")


def substitute(text: str, name: str, old: str, new: str) -> str:
    """Return a file after `sed -i '/def name(/,/^$/s|old|new|'`: the first occurrence in each line of the function."""
    lines = text.split("\n")
    inside = _inside(lines, name)
    return "\n".join(line.replace(old, new, 1) if here else line for line, here in zip(lines, inside, strict=True))


def substitute_command(name: str, path: str, folder: str | None, change: tuple[str, str]) -> str | None:
    """Return the command of `substitute`, or none where the words hold what sed reads otherwise."""
    old, new = change
    if SPECIAL & set(old + new):
        return None
    old = re.sub(r"[\[\]*.]", r"\\\g<0>", old)
    return _in_folder(folder, f"sed -i '/def {name}(/,/^$/s|{old}|{new}|' {path}")


def edit(text: str, path: str, old: str, new: str) -> tuple[str, str]:
    """Return the text after the `edit` tool was called, and the tool's answer."""
    count = text.count(old)
    if count == 1:
        return text.replace(old, new), ""
    problem = "not found" if count == 0 else f"occurs {count} times"
    return text, f"old text {problem} in {path}"


def word_spans(line: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[A-Za-z]+|\d+", line)]


def _inside(lines: list[str], name: str) -> Iterator[bool]:
    """Yield for each line whether it is in sed's range `/def name(/,/^$/`."""
    inside = False
    for line in lines:
        begins = not inside and f"def {name}(" in line
        yield inside or begins
        inside = begins or (inside and line != "")


def _in_folder(folder: str | None, command: str) -> str:
    return f"cd {folder} && {command}" if folder else command
