"""How an issue says that one name or value stands where another should."""

import re
from random import Random

from trainers.tasks import words
from trainers.tasks.english import Clause, Say, says
from trainers.tasks.roles import Role

USES = (
    ("use", "uses"),
    ("take", "takes"),
    ("give", "gives"),
    ("return", "returns"),
    ("have", "has"),
    ("make", "makes"),
    ("write", "writes"),
    ("put", "puts"),
    ("keep", "keeps"),
    ("set", "sets"),
)
NUMBERS = (
    *USES,
    ("allow", "allows"),
    ("count from", "counts from"),
    ("start at", "starts at"),
    ("stop at", "stops at"),
    ("count", "counts"),
    ("shorten to", "shortens to"),
    ("expect", "expects"),
    ("wait", "waits"),
)
VALUE = (
    "{third} {w}{when} | {verb} {r}",
    "{third} {w}{when} | {verb} {r}",
    "{third} {w} for {x} | {verb} {r}",
    "{third} {x} {w} | {verb} it {r}",
    "{third} {w} {s} | {verb} {r}",
    "takes {w} for {x} | take {r}",
    "has {w} as {x} | be {r}",
)
DEFAULT = (
    "has the default {w} for `{n}` | be {r}",
    "lets `{n}` default to {w} | default to {r}",
    "uses {w} as the default of `{n}` | use {r}",
    "{third} {w} {s} by default | {verb} {r}",
    "{third} {w} by default | {verb} {r}",
    "is {w} {adj} by default | be {r}",
    "{third} {x} {w} by default | {verb} it {r}",
)
ITEM = (
    "takes {w} of {a} | take {r}",
    "returns {w}{when} | return {r}",
    "looks at {w} of {a} | look at {r}",
    "says {w} of {x} | say {r}",
    "uses `[{f}]` | use `[{g}]`",
)
ITEMS = {
    "0": "the first item",
    "-1": "the last item",
    "1": "the second item",
    ":-1": "all but the last item",
    "1:": "all but the first item",
    "::1": "the order as it is",
    "::-1": "the reverse order",
}
CALLS = (
    "calls `{w}` | call `{r}`",
    "calls `{w}` on {a} | call `{r}`",
    "uses `{w}` on {a} | use `{r}`",
    "uses `{w}`{when} | use `{r}`",
)
PHRASES = {
    "lower": ("turns {a} into lower case | turn it into lower case", "lowers the letters of {a} | lower them"),
    "upper": ("turns {a} into upper case | turn it into upper case", "raises the letters of {a} | raise them"),
    "title": ("turns {a} into title case | turn it into title case",),
    "capitalize": ("capitalizes {a} | capitalize it",),
    "strip": ("strips both ends of {a} | strip both ends", "takes blanks off both ends | take them off both ends"),
    "lstrip": ("strips the left of {a} | strip the left", "takes blanks off the start | take them off the start"),
    "rstrip": ("strips the right of {a} | strip the right", "takes blanks off the end | take them off the end"),
    "startswith": ("tests how {a} starts | test how it starts", "looks for {b} at the start | look at the start"),
    "endswith": ("tests how {a} ends | test how it ends", "looks for {b} at the end | look at the end"),
    "split": ("splits {a} from the left | split from the left", "splits at the first {b} | split at the first one"),
    "rsplit": ("splits {a} from the right | split from the right", "splits at the last {b} | split at the last one"),
    "partition": ("splits {a} at the first {b} | split at the first one", "cuts at the first {b} | cut at the first"),
    "rpartition": ("splits {a} at the last {b} | split at the last one", "cuts at the last {b} | cut at the last"),
    "find": ("looks for the first {b} | look for the first one",),
    "rfind": ("looks for the last {b} | look for the last one",),
    "index": ("looks up the first {b} | look up the first one",),
    "rindex": ("looks up the last {b} | look up the last one",),
    "append": ("appends {b} as one item | append it as one item", "adds {b} as one item | add it as one"),
    "extend": ("extends {a} by each item of {b} | extend it by each item", "extends the list by {b} | extend it"),
    "keys": ("goes over the keys of {a} | go over the keys",),
    "values": ("goes over the values of {a} | go over the values",),
    "items": ("goes over the items of {a} | go over the items",),
    "ljust": ("aligns {a} to the left | align it to the left",),
    "rjust": ("aligns {a} to the right | align it to the right",),
    "center": ("centers {a} | center it",),
    "any": ("is content when any of {b} holds | want any of them", "asks for any | ask for any"),
    "all": ("wants all of {b} to hold | want all of them", "asks for all | ask for all"),
    "sum": ("sums {b} | sum it",),
    "len": ("counts {b} | count it",),
    "floor": ("rounds {b} down | round down",),
    "ceil": ("rounds {b} up | round up",),
    "add": ("adds {b} | add it",),
    "discard": ("discards {b} | discard it",),
    "removeprefix": ("removes {b} at the start | remove it at the start",),
    "removesuffix": ("removes {b} at the end | remove it at the end",),
}


def _swapped(wrong: str, right: str, role: Role | None, plain: tuple[Role, ...], quoted: float) -> Say:
    """Word one value in the place of another, by what is done with it or by a plain verb."""

    def say(rng: Random) -> Clause:
        verb, third = role if role and rng.random() < 0.5 else rng.choice(plain)
        w, r = (f"`{wrong}`", f"`{right}`") if rng.random() < quoted else (wrong, right)
        if verb.startswith("set ") and rng.random() < 0.5:
            return Clause(f"{third} {w}", f"be {r}")
        return says(VALUE, verb=verb, third=third, w=w, r=r)(rng)

    return say


def literal(wrong: str, right: str, role: Role | None) -> Say:
    return _swapped(wrong, right, role, USES, 0.7)


def constant(wrong: str, right: str, role: Role | None) -> Say:
    return _swapped(wrong, right, role, NUMBERS, 0.15)


def text(wrong: str, right: str, role: Role | None) -> Say:
    return _swapped(wrong, right, role, (*USES, ("use the key", "uses the key"), ("look up", "looks up")), 1)


def variable(wrong: str, right: str, role: Role | None) -> Say:
    def say(rng: Random) -> Clause:
        w, r = f"`{wrong}`", f"`{right}`"
        if rng.random() < 0.3 and "." not in wrong:
            w, r = f"the {wrong.replace('_', ' ').strip()}", f"the {right.replace('_', ' ').strip()}"
        return _swapped(w, r, role, (*USES[:4], ("go on from", "goes on from"), ("compare", "compares")), 0)(rng)

    return say


def item(wrong: str, right: str, owner: str) -> Say:
    return says(ITEM, a=owner, w=ITEMS[wrong], r=ITEMS[right], f=wrong, g=right)


def default(argument: str, wrong: str, right: str) -> Say:
    def say(rng: Random) -> Clause:
        verb, third = rng.choice(NUMBERS)
        w, r = (wrong, right) if rng.random() < 0.6 else (f"`{wrong}`", f"`{right}`")
        return says(DEFAULT, n=argument, w=w, r=r, verb=verb, third=third)(rng)

    return say


def method(wrong: str, right: str, owner: str, argument: str) -> Say:
    def say(rng: Random) -> Clause:
        values = {"a": owner or "the values", "b": argument or "blank"}
        if wrong not in PHRASES or right not in PHRASES or rng.random() < 0.4:
            return says(CALLS, w=wrong, r=right, **values)(rng)
        does = says(PHRASES[wrong], **values)(rng).does
        return Clause(does, says(PHRASES[right], **values)(rng).should)

    return say


def other_number(value: int, rng: Random) -> int:
    if rng.random() < 0.5:
        return rng.choice([n for n in (value - 1, value + 1, value + 2, value * 2) if n >= 0 and n != value])
    return rng.choice([n for n in (0, 1, 2, 3, 4, 5, 7, 8, 10, 12, 16, 24, 60, 64, 80, 100, 255, 1000) if n != value])


def other_text(value: str, rng: Random) -> str:
    if re.fullmatch(r"[A-Za-z_]+", value):
        return rng.choice([key for key in words.KEYS if key != value])
    if len(value) == 1:
        return rng.choice([mark for mark in ",;:|-_=./ #" if mark != value])
    return value[1:] if rng.random() < 0.5 else value[:-1]


def other_default(source: str, rng: Random) -> str | None:
    if source in ("True", "False"):
        return "False" if source == "True" else "True"
    if source.isdigit():
        return str(other_number(int(source), rng))
    if source == "None":
        return rng.choice(("True", "False", "0", "1", "10", "80"))
    if re.fullmatch(r"'[A-Za-z_]+'|\"[A-Za-z_]+\"", source):
        return source[0] + other_text(source[1:-1], rng) + source[0]
    return None
