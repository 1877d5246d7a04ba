"""Lines as they are compared."""

import re

BLANKS = re.compile(r"[ \t]+")


def normalised(lines: list[str], ignore_case: bool = False, ignore_space: bool = False) -> list[str]:
    """Return the lines without what is to be ignored."""
    if ignore_case:
        lines = [line.casefold() for line in lines]
    if ignore_space:
        lines = [squeeze(line) for line in lines]
    return lines


def squeeze(line: str) -> str:
    """Make one blank of many, and none at the end of a line."""
    return BLANKS.sub(" ", line).rstrip()
