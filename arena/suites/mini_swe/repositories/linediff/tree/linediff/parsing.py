"""Unified diffs, read back."""

import re
from dataclasses import dataclass, field

HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class PatchError(ValueError):
    """A patch that cannot be read or does not apply."""


@dataclass
class Hunk:
    start: int
    """The first line of the old text, from 0."""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """Take in one line of the patch."""
        mark, text = line[:1] or " ", line[1:]
        if mark == "\\":
            self.end_without_newline()
            return
        if mark not in " -+":
            raise PatchError(f"a line of a hunk starts with a blank, - or +, got {line!r}")
        if mark in " -":
            self.old.append(text + "\n")
        if mark in " +":
            self.new.append(text + "\n")
        self.last = mark

    def end_without_newline(self) -> None:
        """Take the line end off the line that was read last, on the sides that it stands on."""
        if self.last in " -":
            self.old[-1] = self.old[-1].removesuffix("\n")
        if self.last in " +":
            self.new[-1] = self.new[-1].removesuffix("\n")


def parse(patch: str) -> list[Hunk]:
    """Return a patch's hunks; raises `PatchError` for what is none."""
    found: list[Hunk] = []
    for line in patch.split("\n")[:-1]:
        header = HEADER.match(line)
        if header:
            found.append(Hunk(first_line(header.group(1), header.group(2))))
        elif found:
            found[-1].add(line)
        elif not line.startswith(("---", "+++")):
            raise PatchError(f"expected a header, got {line!r}")
    return found


def first_line(start: str, length: str | None) -> int:
    """Return a range's first line from 0; an empty range names the line before it."""
    if length == "0":
        return int(start)
    return int(start) - 1
