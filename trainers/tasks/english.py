"""Sentences with gaps, and words to fill them: issues speak of rows and prices, not of `x`."""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from trainers.tasks import words

GAP = re.compile(r"\{(\w+)\}")
JUDGED = "!"
"""Marks a sentence that calls the code wrong instead of saying what it does."""
ADJECTIVES = (
    "last first next longer empty missing remaining whole given new old short single common open closed inner outer "
    "left right upper lower plain hidden"
)
CIRCUMSTANCES = (
    "when the {n} is {adj}",
    "for a {n} of {k}",
    "for {adj} {s}",
    "in a {adj} {n}",
    "when there is no {n}",
    "at the end of the {n}",
    "between two {s}",
    "before the {adj} {n}",
    "to get the {n}",
    "for each {n}",
    "with a {adj} {n}",
)
THINGS = (
    "the {n}",
    "the {n}",
    "the {adj} {n}",
    "a {n}",
    "the {n} of a {n}",
    "the {adj} {n} of the {n}",
    "the {s}",
    "its {n}",
)
EVIDENCE = (
    "`{f}({k}, {k})` should be `{k}`.",
    "`{f}({k})` gives {k} now.",
    '`{f}("{n}")` comes out as `{n}`.',
    "A {n} of {k} comes out as {k}.",
    "A {n} with {k} {s} has a {n} of {k} now.",
    "It fails with `{error}` now.",
    "The {adj} {n} is lost then.",
    "With {k} {s} the {n} is {adj}.",
    "A {adj} {n} is taken for the {adj} one.",
    "`{n}` should be {adj} there.",
    "Otherwise the {n} of the {n} is {adj}.",
    "{k} is no {n} now.",
)
ERRORS = ("KeyError", "IndexError", "ValueError", "TypeError", "ZeroDivisionError")


class Clause(NamedTuple):
    does: str
    """Third person: `adds 1 to the width`."""
    should: str
    """Infinitive: `add 2`."""
    judged: bool = False
    """Whether `does` says that the code is wrong."""


Say = Callable[[Random], Clause]


def says(sentences: Sequence[str], **values: str) -> Say:
    """Return what picks one of the sentences `does | should` and fills its gaps."""

    def say(rng: Random) -> Clause:
        sentence = rng.choice(sentences)
        does, _, should = filled(sentence.removeprefix(JUDGED), rng, **values).partition(" | ")
        return Clause(does, should, sentence.startswith(JUDGED))

    return say


def filled(text: str, rng: Random, **values: str) -> str:
    """Fill each gap: with the value of its name, or with words of the kind that its name says."""

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        return values[name] if name in values else _FILLERS[name](rng)

    return GAP.sub(fill, text)


def thing(rng: Random) -> str:
    return filled(rng.choice(THINGS), rng)


def circumstance(rng: Random) -> str:
    """Return ` when the row is empty`, or as often nothing."""
    return " " + filled(rng.choice(CIRCUMSTANCES), rng) if rng.random() < 0.4 else ""


def evidence(function: str, rng: Random) -> str:
    """Return a sentence on what comes of the defect, as issues end with."""
    return filled(rng.choice(EVIDENCE), rng, f=function)


_FILLERS: dict[str, Callable[[Random], str]] = {
    "n": lambda rng: rng.choice(words.NOUNS),
    "s": lambda rng: f"{rng.choice(words.NOUNS).removesuffix('s')}s",
    "adj": lambda rng: rng.choice(ADJECTIVES.split()),
    "k": lambda rng: str(rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 20, 30, 50, 60, 100))),
    "x": thing,
    "when": circumstance,
    "error": lambda rng: rng.choice(ERRORS),
}
