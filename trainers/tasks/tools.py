"""What the tools of a coding agent answer, computed without running them. The tests hold each against the real one."""

import re

CONTEXT = 12


def grep_function(text: str, name: str, after: int = CONTEXT) -> str:
    """Return what `grep -A after 'def name('` prints for a file with this text."""
    lines = text.splitlines()
    hits = [i for i, line in enumerate(lines) if f"def {name}(" in line]
    shown: list[str] = []
    end = -1
    for hit in hits:
        if shown and hit > end:
            shown.append("--")
        start = max(hit, end)
        stop = min(hit + after + 1, len(lines))
        shown += lines[start:stop]
        end = stop
    return "\n".join(shown)


def edit(text: str, path: str, old: str, new: str) -> tuple[str, str]:
    """Return the text after the `edit` tool was called, and the tool's answer."""
    count = text.count(old)
    if count == 1:
        return text.replace(old, new), ""
    problem = "not found" if count == 0 else f"occurs {count} times"
    return text, f"old text {problem} in {path}"


def grep_command(name: str, path: str, folder: str | None) -> str:
    return _inside(folder, f"grep -A {CONTEXT} 'def {name}(' {path}")


def substitute(text: str, name: str, old: str, new: str) -> str:
    """Return the text after `sed -i '/def name(/,+CONTEXTs|old|new|'`: once a line, from the definition on."""
    lines = text.split("\n")
    left = 0
    for i, line in enumerate(lines):
        left = CONTEXT + 1 if not left and f"def {name}(" in line else left
        if left:
            lines[i] = line.replace(old, new, 1)
            left -= 1
    return "\n".join(lines)


def substitute_command(name: str, path: str, folder: str | None, change: tuple[str, str]) -> str | None:
    """Return the command of `substitute`, or none where sed's own characters stand in the way."""
    old, new = change
    if set("\\'|&^$\n") & set(old + new):
        return None
    old = re.sub(r"[\[\]*.]", r"\\\g<0>", old)
    return _inside(folder, f"sed -i '/def {name}(/,+{CONTEXT}s|{old}|{new}|' {path}")


SUBSTITUTION = re.compile(r"(?:cd (\S+) && )?sed -i '/def (\w+)\(/,\+(\d+)s\|([^|]*)\|([^|]*)\|' (\S+)")


def _inside(folder: str | None, command: str) -> str:
    return f"cd {folder} && {command}" if folder else command


def word_spans(line: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"[A-Za-z]+|\d+", line)]
