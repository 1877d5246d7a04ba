"""From text to a document."""

from inilite.document import Document, Section
from inilite.lines import (
    is_blank,
    is_comment,
    is_continuation,
    is_section,
    parse_entry,
    section_names,
    strip_comment,
    unquote,
)

DEFAULT_SECTION = "default"


class IniError(ValueError):
    """Text that is no INI file; says on which line."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(f"line {number}: {message}")
        self.number = number


class Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.section: Section | None = None
        self.key = ""

    def feed(self, number: int, line: str) -> None:
        """Take in one line; blank lines and comments end no value."""
        if is_blank(line) or is_comment(line):
            return
        if is_continuation(line):
            self.extend(number, line)
        elif is_section(line):
            self.section = self.document.add(*section_names(line))
            self.key = ""
        else:
            self.enter(number, line)

    def enter(self, number: int, line: str) -> None:
        if "=" not in line:
            raise IniError(number, f"expected `key = value`, got {line.strip()!r}")
        if self.section is None:
            self.section = self.document.add(DEFAULT_SECTION)
        self.key, value = parse_entry(line)
        self.section.set(self.key, unquote(strip_comment(value)))

    def extend(self, number: int, line: str) -> None:
        if self.section is None or not self.key:
            raise IniError(number, "an indented line needs a value above it")
        before = self.section.own[self.key]
        self.section.set(self.key, before + "\n" + strip_comment(line.strip()))


def loads(text: str) -> Document:
    """Read a document; raises `IniError` that names the line."""
    reader = Reader(Document())
    for number, line in enumerate(text.splitlines(), start=1):
        reader.feed(number, line)
    return reader.document
