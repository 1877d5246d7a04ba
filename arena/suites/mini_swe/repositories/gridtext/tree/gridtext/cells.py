"""The text of one cell: how wide it is, and how it is made to fit."""

import unicodedata

ELLIPSIS = "…"


def char_width(character: str) -> int:
    """Return how many places a character takes in a terminal."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def text_width(text: str) -> int:
    return sum(char_width(character) for character in text)


def pad_right(text: str, width: int) -> str:
    return text + " " * (width - text_width(text))


def pad_left(text: str, width: int) -> str:
    return " " * (width - text_width(text)) + text


def center(text: str, width: int) -> str:
    """Put blanks on both sides; an odd one goes to the right."""
    free = max(width - text_width(text), 0)
    left = free // 2
    return " " * left + text + " " * (free - left)


def take(text: str, width: int) -> str:
    """Return the longest start of a text that is no wider than `width`."""
    used = 0
    for position, character in enumerate(text):
        used += char_width(character)
        if used > width:
            return text[:position]
    return text


def clip(text: str, width: int) -> str:
    """Shorten a text to `width`, with an ellipsis at its end where something is missing."""
    if text_width(text) <= width:
        return text
    return take(text, width - 1) + ELLIPSIS


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of at most `width`, between words where that is possible."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(lines[-1]) + 1 + text_width(word) <= width:
            lines[-1] += " " + word
        else:
            lines += split_word(word, width)
    return lines or [""]


def split_word(word: str, width: int) -> list[str]:
    """Break a word that is wider than `width` into pieces."""
    pieces = []
    while text_width(word) > width:
        piece = take(word, width) or word[0]
        pieces.append(piece)
        word = word[len(piece) :]
    return [*pieces, word] if word else pieces
