"""The lines around and between cells."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A horizontal line."""

    left: str
    fill: str
    cross: str
    right: str

    def draw(self, widths: list[int]) -> str:
        """Draw the line over columns of these widths, each with a blank on either side."""
        return self.left + self.cross.join(self.fill * (width + 2) for width in widths) + self.right


@dataclass(frozen=True)
class Style:
    left: str
    between: str
    right: str
    top: Rule | None = None
    header: Rule | None = None
    inner: Rule | None = None
    bottom: Rule | None = None

    def line(self, cells: list[str]) -> str:
        """Put the cells of one line side by side."""
        return (self.left + self.between.join(cells) + self.right).rstrip()

    def frame_width(self, columns: int) -> int:
        """Return how many places the style itself takes in a table of so many columns."""
        return len(self.left) + len(self.right) + len(self.between) * (columns - 1)


ASCII_RULE = Rule("+", "-", "+", "+")

STYLES = {
    "plain": Style("", "  ", ""),
    "ascii": Style("| ", " | ", " |", ASCII_RULE, Rule("+", "=", "+", "+"), None, ASCII_RULE),
    "markdown": Style("| ", " | ", " |", None, Rule("|", "-", "|", "|")),
    "box": Style(
        "│ ",
        " │ ",
        " │",
        Rule("┌", "─", "┬", "┐"),
        Rule("╞", "═", "╪", "╡"),
        Rule("├", "─", "┼", "┤"),
        Rule("└", "─", "┴", "┘"),
    ),
}


def style_named(name: str) -> Style:
    if name not in STYLES:
        raise ValueError(f"unknown style {name!r}; there are {', '.join(sorted(STYLES))}")
    return STYLES[name]
