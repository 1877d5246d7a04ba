"""How an issue says it, by the kind of a defect: what the code does, and what it should do."""

import ast
import re
from random import Random

from trainers.tasks import english
from trainers.tasks.english import Clause, Say, says

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
DOES = {
    "+": (
        "adds {b} to {a}",
        "adds {b}",
        "adds {a} and {b}",
        "returns the sum of {a} and {b}",
        "takes the sum",
        "uses `+`",
    ),
    "-": (
        "subtracts {b} from {a}",
        "subtracts {b}",
        "takes {b} off {a}",
        "returns the difference of {a} and {b}",
        "takes the difference",
        "uses `-`",
    ),
    "*": (
        "multiplies {a} by {b}",
        "multiplies by {b}",
        "returns the product of {a} and {b}",
        "takes the product",
        "uses `*`",
    ),
    "/": ("divides {a} by {b}", "divides by {b}", "returns the quotient of {a} and {b}", "takes the ratio", "uses `/`"),
    "//": ("divides {a} by {b} and rounds down", "floor-divides {a} by {b}", "drops the fraction", "uses `//`"),
    "%": ("takes {a} modulo {b}", "takes the remainder of {a} by {b}", "returns the remainder", "uses `%`"),
}
SHOULD = {
    "+": ("add it", "add {b}", "add them", "return the sum", "return their sum", "take the sum", "use `+`"),
    "-": ("subtract it", "subtract {b}", "take it off", "return the difference", "return their difference", "use `-`"),
    "*": ("multiply it", "multiply by {b}", "multiply them", "return the product", "take the product", "use `*`"),
    "/": ("divide it", "divide by {b}", "divide it by {b}", "return the quotient", "take the ratio", "use `/`"),
    "//": ("round down", "floor-divide", "drop the fraction", "use `//`"),
    "%": ("take the remainder", "return the remainder", "use `%`"),
}
MORE = (
    "adds 1 to {a} | not add 1",
    "adds 1 to {a} | leave it as it is",
    "returns {a} plus 1 | return {a}",
    "takes one more than {a} | take {a} itself",
    "!counts one too many{when} | count {a}",
    "!is off by one: {x} is one too large | return {a}",
    "!returns a value that is one too high | return {a}",
    "!goes one too far{when} | stop one earlier",
)
LESS = (
    "subtracts 1 from {a} | not subtract 1",
    "subtracts 1 from {a} | leave it as it is",
    "returns {a} minus 1 | return {a}",
    "takes one less than {a} | take {a} itself",
    "!counts one too few{when} | count {a}",
    "!is off by one: {x} is one too small | return {a}",
    "!returns a value that is one too low | return {a}",
    "!stops one too early{when} | go one further",
)
MISSING = {
    "+": (
        "takes {a} | take one more",
        "takes {a}{when} | take {a} plus 1",
        "uses {a}{when} | add 1 to it",
        "counts {a} from 0 | count from 1",
        "!forgets to add 1 to {a} | add 1",
        "!is off by one: {x} is one too small | add 1",
        "!leaves out the last {n} | include it",
        "!stops one too early{when} | go one further",
    ),
    "-": (
        "takes {a} | take one less",
        "takes {a}{when} | take {a} minus 1",
        "uses {a}{when} | subtract 1 from it",
        "!forgets to subtract 1 from {a} | subtract 1",
        "!is off by one: {x} is one too large | subtract 1",
        "!goes one too far{when} | stop one earlier",
        "!takes one {n} too many | take one less",
    ),
}
SMALL = ("smaller smallest", "lower lowest", "lesser least", "shorter shortest", "earlier earliest", "minimum minimum")
LARGE = ("larger largest", "higher highest", "greater greatest", "longer longest", "later latest", "maximum maximum")
EXTREME = (
    "takes the {w} of {a} and {b} | take the {r} one",
    "takes the {w} of the two | take the {r}",
    "returns the {w} of {a} and {b}{when} | return the {r} one",
    "ends at the {w} of {a} and {b} | end at the {r} one",
    "starts at the {w} of the two {s} | start at the {r} one",
    "keeps the {w} {n} | keep the {r} one",
    "uses the {w} value{when} | use the {r} one",
    "returns the {ww} {n} | return the {rr}",
    "returns the {ww} of {x} | return the {rr} one",
    "takes the {ww} {n}{when} | take the {rr}",
    "picks the {ww} of the {s} | pick the {rr}",
    "calls `{f}` | call `{g}`",
    "uses `{f}`{when} | use `{g}`",
)
ORDER = {
    "<": ("less than", "smaller than", "below"),
    "<=": ("at most", "less than or equal to", "no more than"),
    ">": ("greater than", "larger than", "above"),
    ">=": ("at least", "greater than or equal to", "no less than"),
    "==": ("equal to", "the same as", "equal to"),
    "!=": ("different from", "not equal to", "unequal to"),
    "in": ("in", "one of", "contained in"),
    "not in": ("not in", "none of", "missing from"),
}
TESTED = (
    "tests whether {a} is {w} {b} | test whether it is {r} it",
    "asks for {a} {w} {b} | ask for {r}",
    "acts when {a} is {w} {b} | act when it is {r} it",
    "compares {a} with {b} by `{f}` | use `{g}`",
    "uses `{f}`{when} | use `{g}`",
)
INCLUDE = (  # the right comparison holds for equal values
    "misses the case where {a} equals {b} | include it",
    "leaves out {a} equal to {b} | include equal ones",
    "excludes {b} itself | include it",
    "refuses {x} of exactly {b} | accept it",
    "leaves {x} of exactly {b} alone | take it too",
    "drops {x} that equals {b} | keep it",
    "takes only {x} beyond {b} | take {b} itself too",
    "counts {x} at {b} as outside | count it as inside",
)
EXCLUDE = (
    "includes {a} equal to {b} | exclude it",
    "also accepts {a} when it equals {b} | accept only {side} ones",
    "includes {b} itself | exclude it",
    "accepts {x} of exactly {b} | refuse it",
    "keeps {x} that equals {b} | drop it",
    "takes {x} that equals {b} | take only {side} ones",
    "counts {x} at {b} as inside | count it as outside",
    "takes {x} when it fills {b} exactly | do so only beyond it",
)
TURNED = (
    "!compares {a} and {b} the wrong way round | ask for {r}",
    "acts when {a} is {w} {b} | act when it is {r}",
    "takes {s} {w} {b} | take those {r} it",
)
IDENTITY = (
    "tests whether {a} {w} {b} | test that it {r} {b}",
    "acts when {a} {w} {b} | act when it {r}",
    "returns early when {a} {w} {b} | do so when it {r}",
    "uses `{w}`{when} | use `{r}`",
)
BOTH = (  # the code says `and`
    "wants both {a} and {b} | be content with either",
    "requires both conditions | require only one of them",
    "needs both {x} and {x} | need only one of the two",
    "needs {a} and {b} to hold | be content with one of them",
    "accepts only {s} with both | accept those with either",
    "does so only when both hold{when} | do so when either one holds",
    "refuses {x} only when both {s} are {adj} | refuse it when either is",
    "joins the conditions with `and` | use `or`",
    "uses `and` | use `or`",
)
EITHER = (
    "is content with {a} or {b} | want both",
    "accepts either condition | require both",
    "needs only one of {x} and {x} | need both",
    "goes on when one of the two {s} is {adj} | do so only when both are",
    "does so when either one holds{when} | do so only when both hold",
    "accepts {x} with either | accept only those with both",
    "refuses {x} when either {n} is {adj} | refuse it only when both are",
    "joins the conditions with `or` | use `and`",
    "uses `or` | use `and`",
)
WHEN_NOT = (  # the code has a `not` too many
    "acts when {a} does not hold | act when it holds",
    "does so when there is no {n} | do so when there is one",
    "takes {x} when not {a} | take it when {a}",
    "returns {x} unless {a} is set | return it when it is set",
    "skips {x} without {a} | skip those with it",
    "negates {a} | not negate it",
    "!tests the opposite of {a} | test {a}",
    "!has a `not` too many before {a} | go without it",
)
WHEN = (
    "acts when {a} holds | act when it does not",
    "does so when there is {x} | do so when there is none",
    "takes {x} when {a} | take it when not {a}",
    "returns {x} when {a} is set | return it when it is not set",
    "skips {x} with {a} | skip those without it",
    "sets {x} when the {n} is {adj} | set it when it is not {adj}",
    "!tests the condition the wrong way round | test the opposite",
    "!lacks a `not` before {a} | negate it",
)


def thing(node: ast.AST, source: str, rng: Random) -> str:
    """Name an expression as people do: `width` in backticks, the width, or something that only they know."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return source
    if rng.random() < 0.35:
        return english.thing(rng)
    if PLAIN.fullmatch(source):
        parts = re.findall(r"[A-Za-z]+", source.rpartition(".")[2])
        return "the " + " ".join(parts).lower() if parts and rng.random() < 0.5 else f"`{source}`"
    if isinstance(node, ast.Call) and source.startswith("len(") and PLAIN.fullmatch(source[4:-1]):
        return f"the length of `{source[4:-1]}`"
    if len(source) <= 16 and not set('\n`"') & set(source):
        return f"`{source}`"
    return english.thing(rng)


def arithmetic(wrong: str, right: str, a: str, b: str) -> Say:
    def say(rng: Random) -> Clause:
        return says([f"{rng.choice(DOES[wrong])}{{when}} | {rng.choice(SHOULD[right])}"], a=a, b=b)(rng)

    return say


def missing_step(sign: str, a: str) -> Say:
    return says(MISSING[sign], a=a)


def extra_step(sign: str, a: str) -> Say:
    return says(MORE if sign == "+" else LESS, a=a)


def extreme(wrong: str, right: str, a: str, b: str) -> Say:
    def say(rng: Random) -> Clause:
        pairs = list(zip(SMALL, LARGE, strict=True))
        small, large = rng.choice(pairs[:2] * 4 + pairs)
        (w, ww), (r, rr) = small.split(), large.split()
        if wrong == "max":
            w, ww, r, rr = r, rr, w, ww
        return says(EXTREME, a=a, b=b, w=w, ww=ww, r=r, rr=rr, f=wrong, g=right)(rng)

    return say


def comparison(wrong: str, right: str, a: str, b: str) -> Say:
    if "is" in wrong.split():
        return says(IDENTITY, a=a, b=b, w=wrong, r=right)

    def say(rng: Random) -> Clause:
        form = rng.randrange(3)
        values = {"a": a, "b": b, "w": ORDER[wrong][form], "r": ORDER[right][form], "f": wrong, "g": right}
        if rng.random() < 0.7 and right == wrong + "=":
            return says(INCLUDE, **values)(rng)
        if rng.random() < 0.7 and wrong == right + "=":
            return says(EXCLUDE, side="smaller" if right == "<" else "larger", **values)(rng)
        if rng.random() < 0.3 and wrong[0] in "<>" and right[0] != wrong[0]:
            return says(TURNED, **values)(rng)
        return says(TESTED, **values)(rng)

    return say


def boolean(wrong: str, a: str, b: str) -> Say:
    return says(BOTH if wrong == "and" else EITHER, a=a, b=b)


def negation(condition: str, *, missing: bool) -> Say:
    return says(WHEN if missing else WHEN_NOT, a=condition)
