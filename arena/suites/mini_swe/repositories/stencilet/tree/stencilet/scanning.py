"""From a template's text to its pieces."""

import re
from dataclasses import dataclass

from stencilet.errors import TemplateError

TAG = re.compile(r"\{(?P<kind>[{%#])(?P<left>-?)(?P<body>.*?)(?P<right>-?)(?P<end>[}%#])\}", re.DOTALL)
ENDS = {"{": "}", "%": "%", "#": "#"}
KINDS = {"{": "value", "%": "block", "#": "comment"}


@dataclass(frozen=True)
class Piece:
    kind: str
    """text, value, block or comment"""
    body: str
    line: int


def scan(text: str) -> list[Piece]:
    """Return a template's pieces; texts beside a tag with a dash lose their white space on that side."""
    pieces: list[Piece] = []
    position = 0
    strip_next = False
    for match in TAG.finditer(text):
        before = text[position : match.start()]
        if strip_next:
            before = before.lstrip()
        if match["left"]:
            before = before.rstrip()
        pieces += text_piece(before, line_of(text, position))
        pieces.append(tag_piece(match, line_of(text, match.start())))
        strip_next = bool(match["right"])
        position = match.end()
    rest = text[position:]
    return pieces + text_piece(rest.lstrip() if strip_next else rest, line_of(text, position))


def text_piece(text: str, line: int) -> list[Piece]:
    return [Piece("text", text, line)] if text else []


def tag_piece(match: re.Match[str], line: int) -> Piece:
    if match["end"] != ENDS[match["kind"]]:
        raise TemplateError(line, f"{match.group()!r} starts and ends differently")
    return Piece(KINDS[match["kind"]], match["body"].strip(), line)


def line_of(text: str, position: int) -> int:
    """Return the line that a position is on, counted from 1."""
    return text.count("\n", 0, position) + 1
