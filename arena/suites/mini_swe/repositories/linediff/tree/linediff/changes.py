"""From common blocks to changes, and from changes to hunks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from linediff.matching import Block, matching_blocks


@dataclass(frozen=True)
class Change:
    """Lines `old_start` to `old_end` of the old text became lines `new_start` to `new_end` of the new one."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def kind(self) -> str:
        if self.old_start == self.old_end:
            return "insert"
        if self.new_start == self.new_end:
            return "delete"
        return "replace"

    @property
    def deleted(self) -> int:
        return self.old_end - self.old_start

    @property
    def inserted(self) -> int:
        return self.new_end - self.new_start


def changes(old: list[str], new: list[str]) -> list[Change]:
    """Return what lies between the common blocks of two texts."""
    found = []
    i = j = 0
    for block in [*matching_blocks(old, new), Block(len(old), len(new), 0)]:
        if block.old > i or block.new > j:
            found.append(Change(i, block.old, j, block.new))
        i, j = block.old + block.size, block.new + block.size
    return found


def hunks(found: Iterable[Change], context: int) -> Iterator[list[Change]]:
    """Group changes whose context lines touch or overlap."""
    group: list[Change] = []
    for change in found:
        if group and change.old_start - group[-1].old_end > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def totals(found: Iterable[Change]) -> tuple[int, int]:
    """Return how many lines were inserted and how many deleted."""
    inserted = deleted = 0
    for change in found:
        inserted += change.inserted
        deleted += change.deleted
    return inserted, deleted


def summary(inserted: int, deleted: int) -> str:
    """Say in words what `totals` counted."""
    parts = []
    if inserted:
        parts.append(f"{inserted} insertion{plural(inserted)}(+)")
    if deleted:
        parts.append(f"{deleted} deletion{plural(deleted)}(-)")
    return ", ".join(parts) or "no changes"


def plural(count: int) -> str:
    return "" if count == 1 else "s"
