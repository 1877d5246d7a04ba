"""From text to tokens."""

import re
from dataclasses import dataclass

from rowql.errors import QueryError

KEYWORDS = frozenset("where group order by limit offset as and or not in like asc desc null true false".split())
PATTERN = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<string>'(?:[^']|'')*')
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<symbol><=|>=|!=|[-+*/%(),=<>])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    kind: str
    """keyword, name, number, string, symbol or end"""
    text: str
    position: int


def tokenize(text: str) -> list[Token]:
    """Return a query's tokens, the last of kind `end`; raises `QueryError` that names the place."""
    found = []
    position = 0
    while position < len(text):
        match = PATTERN.match(text, position)
        if match is None:
            raise QueryError(f"column {position + 1}: {text[position]!r} is not understood")
        if match.lastgroup != "space":
            found.append(make_token(match))
        position = match.end()
    return [*found, Token("end", "", position)]


def make_token(match: re.Match[str]) -> Token:
    kind, text = str(match.lastgroup), match.group()
    if kind == "name" and text.lower() in KEYWORDS:
        return Token("keyword", text.lower(), match.start())
    if kind == "string":
        return Token("string", unquote(text), match.start())
    return Token(kind, text, match.start())


def unquote(text: str) -> str:
    """Take the quotes off; two quotes inside stand for one."""
    return text[1:-1].replace("''", "'")
