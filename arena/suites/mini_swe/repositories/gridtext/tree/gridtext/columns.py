"""What a column looks like, and how wide it becomes."""

from dataclasses import dataclass

from gridtext import decimals
from gridtext.cells import center, clip, pad_left, pad_right, text_width, wrap

ALIGNMENTS = ("left", "right", "center", "decimal")


@dataclass(frozen=True)
class Column:
    title: str
    align: str = "left"
    overflow: str = "wrap"
    min_width: int = 1
    max_width: int = 40

    def __post_init__(self) -> None:
        if self.align not in ALIGNMENTS:
            raise ValueError(f"unknown alignment {self.align!r}; use one of {', '.join(ALIGNMENTS)}")
        if self.min_width > self.max_width:
            raise ValueError(f"column {self.title!r} is at least {self.min_width} and at most {self.max_width} wide")

    def natural_width(self, cells: list[str]) -> int:
        """Return the width that shows the title and each cell whole, within the column's limits."""
        widest = max(text_width(cell) for cell in [self.title, *cells])
        return max(self.min_width, min(widest, self.max_width))

    def prepare(self, cells: list[str]) -> list[str]:
        """Return the cells as they are before they are fitted: numbers below one another, if so wished."""
        if self.align == "decimal":
            return decimals.line_up(cells)
        return cells

    def fit(self, text: str, width: int) -> list[str]:
        """Return the lines of a cell, each of exactly this width."""
        if self.overflow == "clip" or self.align == "decimal":
            return [self.place(clip(text, width), width)]
        return [self.place(line, width) for line in wrap(text, width)]

    def place(self, line: str, width: int) -> str:
        if self.align == "center":
            return center(line, width)
        if self.align in ("right", "decimal"):
            return pad_left(line, width)
        return pad_right(line, width)


def shrink(widths: list[int], minimums: list[int], available: int) -> list[int]:
    """Take places from the widest columns, one at a time, until all fit into `available`.

    A column keeps its minimum; of equally wide ones the last gives way first.
    """
    shrunk = list(widths)
    while sum(shrunk) > available:
        free = [index for index, width in enumerate(shrunk) if width > minimums[index]]
        if not free:
            raise ValueError(f"the columns need {sum(minimums)} places and only {available} are there")
        widest = max(free, key=lambda index: (shrunk[index], index))
        shrunk[widest] -= 1
    return shrunk
