"""Unified diffs."""

from linediff.changes import Change, changes, hunks
from linediff.normalising import normalised

NO_NEWLINE = "\\ No newline at end of file"


def unified(
    before: str,
    after: str,
    old_name: str = "a",
    new_name: str = "b",
    context: int = 3,
    ignore_case: bool = False,
    ignore_space: bool = False,
) -> str:
    """Return the patch that turns `before` into `after`; empty if there is nothing to do."""
    old, new = split_lines(before), split_lines(after)
    found = changes(normalised(old, ignore_case, ignore_space), normalised(new, ignore_case, ignore_space))
    if not found:
        return ""
    lines = [f"--- {old_name}", f"+++ {new_name}"]
    for group in hunks(found, context):
        lines += hunk_lines(old, new, group, context)
    return "\n".join(lines) + "\n"


def split_lines(text: str) -> list[str]:
    """Return a text's lines with their ends."""
    return text.splitlines(keepends=True)


def hunk_lines(old: list[str], new: list[str], group: list[Change], context: int) -> list[str]:
    """Write one hunk: its header, and its changes with the lines around them."""
    start = max(group[0].old_start - context, 0)
    end = min(group[-1].old_end + context, len(old))
    new_start = start + group[0].new_start - group[0].old_start
    new_end = end + group[-1].new_end - group[-1].old_end
    lines = [f"@@ -{line_range(start, end)} +{line_range(new_start, new_end)} @@"]
    position = start
    for change in group:
        lines += marked(" ", old[position : change.old_start])
        lines += marked("-", old[change.old_start : change.old_end])
        lines += marked("+", new[change.new_start : change.new_end])
        position = change.old_end
    return lines + marked(" ", old[position:end])


def marked(mark: str, lines: list[str]) -> list[str]:
    """Put a mark before each line; one that has no line end is followed by a note."""
    written = []
    for line in lines:
        written.append(mark + line.removesuffix("\n"))
        if not line.endswith("\n"):
            written.append(NO_NEWLINE)
    return written


def line_range(start: int, end: int) -> str:
    """Write a range as a hunk's header does: first line and length; the length 1 is left out."""
    length = end - start
    if length == 1:
        return str(start + 1)
    if length == 0:
        return f"{start},0"
    return f"{start + 1},{length}"
