"""A proof that nothing of a suite is trained on: runs of words that stand in both.

Words are compared, not characters: names, numbers and keywords, without case, punctuation and layout, so that a patch
is found again in a transcript's JSON. Twelve words in a row do not come about by chance; a text that has fewer is found
when all of it stands there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trainers.tasks import chat

RUN = 12
SHORTEST = 5
"""A text of fewer words than this says nothing of its own."""
WORD = re.compile(r"[a-z_]+|\d+")
HEADER = re.compile(r"^(diff --git|index |--- |\+\+\+ |@@).*$", re.MULTILINE)


@dataclass(frozen=True)
class Overlap:
    """One run of words that training and a suite share."""

    row: int
    """Index of the training row."""
    text: str
    """Name of the suite's text."""
    words: str


def overlap(rows: Iterable[chat.Messages], texts: Mapping[str, str], run: int = RUN) -> list[Overlap]:
    """Return, for each training row and each text of a suite, the first run of words that they share.

    Parameters
    ----------
    rows : iterable of conversations
        What is trained on, in the chat format.
    texts : mapping of name to text
        What must not be trained on: issues, patches, tests. A patch counts as its sides before and after.
    run : int
        How many words in a row are no chance.

    Returns
    -------
    list of Overlap
        Empty where training is disjoint from the suite.
    """
    index: dict[tuple[str, ...], str] = {}
    for name, text in texts.items():
        for side in _sides(text):
            words = _words(side)
            if len(words) >= SHORTEST:
                index |= dict.fromkeys(_runs(words, min(run, len(words))), name)
    lengths = sorted({len(key) for key in index})
    found: dict[tuple[int, str], Overlap] = {}
    for number, messages in enumerate(rows):
        for said in chat.texts(messages):
            for name, shared in _shared(_words(said), lengths, index):
                found.setdefault((number, name), Overlap(number, name, shared))
    return list(found.values())


def _shared(
    words: Sequence[str], lengths: Sequence[int], index: Mapping[tuple[str, ...], str]
) -> Iterator[tuple[str, str]]:
    for length in lengths:
        for key in _runs(words, length):
            if key in index:
                yield index[key], " ".join(key)


def _sides(text: str) -> Iterator[str]:
    """Yield a text, or a patch's code before and after: no file has both of them in one piece."""
    if not re.search(r"^@@ ", text, re.MULTILINE):
        yield text
        return
    lines = HEADER.sub("", text).splitlines()
    for mark in "-+":
        yield "\n".join(line[1:] for line in lines if line[:1] in (mark, " "))


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def _runs(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[i : i + length]) for i in range(len(words) - length + 1))
