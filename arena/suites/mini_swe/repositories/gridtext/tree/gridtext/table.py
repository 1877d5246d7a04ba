"""Rows of cells under titled columns."""

from collections.abc import Iterable

from gridtext.borders import Rule, style_named
from gridtext.columns import Column, shrink

MISSING = "-"


class Table:
    def __init__(self, columns: Iterable[Column | str], style: str = "plain", width: int | None = None) -> None:
        self.columns = [Column(each) if isinstance(each, str) else each for each in columns]
        self.style = style_named(style)
        self.width = width
        self.rows: list[list[str]] = []

    def add_row(self, *cells: object) -> None:
        """Add a row; cells that are left out at its end are empty, `None` is shown as a dash."""
        if len(cells) > len(self.columns):
            raise ValueError(f"the row has {len(cells)} cells and the table {len(self.columns)} columns")
        texts = [MISSING if cell is None else str(cell) for cell in cells]
        self.rows.append(texts + [""] * (len(self.columns) - len(texts)))

    def sort(self, title: str, reverse: bool = False) -> None:
        """Sort the rows by the column of this title, numbers by their value."""
        index = [column.title for column in self.columns].index(title)
        self.rows.sort(key=lambda row: sort_key(row[index]), reverse=reverse)

    def prepared(self) -> list[list[str]]:
        """Return the columns' cells, lined up."""
        return [column.prepare([row[index] for row in self.rows]) for index, column in enumerate(self.columns)]

    def widths(self) -> list[int]:
        natural = [column.natural_width(cells) for column, cells in zip(self.columns, self.prepared(), strict=True)]
        if self.width is None:
            return natural
        available = self.width - self.style.frame_width(len(self.columns))
        return shrink(natural, [column.min_width for column in self.columns], available)

    def render(self) -> str:
        """Return the table's lines, joined."""
        widths = self.widths()
        lines = self.rule(self.style.top, widths)
        lines += self.row_lines([column.title for column in self.columns], widths)
        lines += self.rule(self.style.header, widths)
        for number, row in enumerate(zip(*self.prepared(), strict=True)):
            if number > 0:
                lines += self.rule(self.style.inner, widths)
            lines += self.row_lines(list(row), widths)
        lines += self.rule(self.style.bottom, widths)
        return "\n".join(lines)

    def rule(self, rule: Rule | None, widths: list[int]) -> list[str]:
        return [rule.draw(widths)] if rule else []

    def row_lines(self, cells: list[str], widths: list[int]) -> list[str]:
        """Return the lines of a row, as many as its tallest cell has."""
        fitted = [column.fit(*pair) for column, pair in zip(self.columns, zip(cells, widths, strict=True), strict=True)]
        height = max(len(lines) for lines in fitted)
        filled = [lines + [" " * width] * (height - len(lines)) for lines, width in zip(fitted, widths, strict=True)]
        return [self.style.line(list(line)) for line in zip(*filled, strict=True)]


def sort_key(text: str) -> tuple[int, float, str]:
    """Return a key that puts numbers, by value, before texts."""
    try:
        return 0, float(text.replace(",", "")), ""
    except ValueError:
        return 1, 0.0, text.lower()
