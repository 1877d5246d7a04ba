"""Patches, applied to a text."""

from linediff.parsing import Hunk, PatchError, parse
from linediff.unified import split_lines

MAX_OFFSET = 20

__all__ = ["PatchError", "apply"]


def apply(text: str, patch: str, max_offset: int = MAX_OFFSET) -> str:
    """Return the text as the patch makes it; raises `PatchError` where a hunk's lines are not found."""
    lines = split_lines(text)
    shift = 0
    for number, hunk in enumerate(parse(patch), start=1):
        position = find(lines, hunk, hunk.start + shift, max_offset)
        if position is None:
            raise PatchError(f"hunk {number} does not apply near line {hunk.start + 1}")
        lines[position : position + len(hunk.old)] = hunk.new
        shift = position - hunk.start + len(hunk.new) - len(hunk.old)
    return "".join(lines)


def find(lines: list[str], hunk: Hunk, expected: int, max_offset: int) -> int | None:
    """Return where the hunk's old lines stand, at the place nearest to the expected one."""
    for distance in range(max_offset + 1):
        for position in (expected - distance, expected + distance):
            if matches(lines, hunk.old, position):
                return position
    return None


def matches(lines: list[str], wanted: list[str], position: int) -> bool:
    if position < 0 or position + len(wanted) > len(lines):
        return False
    return lines[position : position + len(wanted)] == wanted


def reverse(patch: str) -> str:
    """Return the patch that undoes a patch."""
    turned = []
    for line in patch.split("\n"):
        if line.startswith("@@"):
            _, old, new, _ = line.split(" ", 3)
            turned.append(f"@@ -{new[1:]} +{old[1:]} @@")
        elif line.startswith("--- "):
            old_name = line[4:]
        elif line.startswith("+++ "):
            turned += [f"--- {line[4:]}", f"+++ {old_name}"]
        else:
            turned.append({"-": "+", "+": "-"}.get(line[:1], line[:1]) + line[1:])
    return "\n".join(turned)
