"""From a document to text."""

from inilite.document import Document, Section
from inilite.lines import COMMENT_MARKS, QUOTES

INDENT = "    "


def dumps(document: Document, align: bool = False) -> str:
    """Write a document so that reading it gives the same; `align` puts the `=` of a section below one another."""
    blocks = [dump_section(section, align) for section in document]
    return "\n".join(blocks)


def dump_section(section: Section, align: bool = False) -> str:
    width = max((len(key) for key in section.own), default=0) if align else 0
    lines = [header(section)]
    for key, value in section.own.items():
        lines.append(f"{key.ljust(width)} = {dump_value(value)}")
    return "\n".join(lines) + "\n"


def header(section: Section) -> str:
    if section.parent:
        return f"[{section.name} : {section.parent}]"
    return f"[{section.name}]"


def dump_value(value: str) -> str:
    """Write a value: further lines are indented, and quotes protect what reading would take away."""
    first, *rest = value.split("\n")
    if needs_quotes(first):
        first = quote(first)
    return ("\n" + INDENT).join([first, *rest])


def needs_quotes(text: str) -> bool:
    if text != text.strip():
        return True
    if text[:1] in tuple(QUOTES):
        return True
    return any(f" {mark}" in text for mark in COMMENT_MARKS)


def quote(text: str) -> str:
    """Put quotes around a text, of the kind that it does not hold itself."""
    mark = "'" if '"' in text else '"'
    return mark + text + mark
