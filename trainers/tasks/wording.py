"""How an issue says it: what the code does, and what it should do."""

import ast
import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from trainers.tasks import words
from trainers.tasks.roles import Role


class Clause(NamedTuple):
    does: str
    """Third person: `adds 1 to the width`."""
    should: str
    """Infinitive: `add 2`."""


Say = Callable[[Random], Clause]

VERBS = {  # operator: (adds, add, the noun)
    "+": ("adds {b} to {a}", "add", "sum"),
    "-": ("subtracts {b} from {a}", "subtract", "difference"),
    "*": ("multiplies {a} by {b}", "multiply", "product"),
    "/": ("divides {a} by {b}", "divide", "quotient"),
    "//": ("floor-divides {a} by {b}", "floor-divide", "whole quotient"),
    "%": ("takes {a} modulo {b}", "take the remainder", "remainder"),
}
ORDER = {
    "<": ("smaller than", "less than", "below"), "<=": ("at most", "less than or equal to", "up to"),
    ">": ("larger than", "greater than", "above"), ">=": ("at least", "greater than or equal to", "from"),
    "==": ("equal to", "the same as", "equal to"), "!=": ("different from", "not equal to", "unequal to"),
    "in": ("in", "contained in", "one of"), "not in": ("not in", "missing from", "none of"),
    "is": ("", "", ""), "is not": ("not", "not", "not"),
}  # fmt: skip
PHRASES = {
    "lower": ("turns {o} into lower case", "turn it into lower case"),
    "upper": ("turns {o} into upper case", "turn it into upper case"),
    "title": ("turns {o} into title case", "turn it into title case"),
    "capitalize": ("capitalizes {o}", "capitalize it"),
    "strip": ("strips both ends of {o}", "strip both ends"),
    "lstrip": ("strips only the left of {o}", "strip only the left"),
    "rstrip": ("strips only the right of {o}", "strip only the right"),
    "startswith": ("tests how {o} starts", "test how it starts"),
    "endswith": ("tests how {o} ends", "test how it ends"),
    "split": ("splits {o} from the left", "split from the left"),
    "rsplit": ("splits {o} from the right", "split from the right"),
    "partition": ("splits {o} at the first {a}", "split at the first one"),
    "rpartition": ("splits {o} at the last {a}", "split at the last one"),
    "find": ("looks for the first {a}", "look for the first one"),
    "rfind": ("looks for the last {a}", "look for the last one"),
    "index": ("looks up the first {a}", "look up the first one"),
    "rindex": ("looks up the last {a}", "look up the last one"),
    "append": ("appends {a} as one item", "append it as one item"),
    "extend": ("extends the list by each item of {a}", "extend it by each item"),
    "keys": ("goes over the keys of {o}", "go over the keys"),
    "values": ("goes over the values of {o}", "go over the values"),
    "items": ("goes over the items of {o}", "go over the items"),
    "ljust": ("aligns {o} to the left", "align it to the left"),
    "rjust": ("aligns {o} to the right", "align it to the right"),
    "center": ("centers {o}", "center it"),
    "pop": ("takes from the end", "take from the end"),
    "popleft": ("takes from the front", "take from the front"),
    "min": ("takes the smallest of {o}", "take the smallest"),
    "max": ("takes the largest of {o}", "take the largest"),
    "any": ("is content when any of {o} holds", "want any of them"),
    "all": ("wants all of {o} to hold", "want all of them"),
    "sum": ("sums {o}", "sum it"),
    "len": ("counts {o}", "count it"),
    "floor": ("rounds {a} down", "round down"),
    "ceil": ("rounds {a} up", "round up"),
    "add": ("adds {a}", "add it"),
    "discard": ("discards {a}", "discard it"),
    "removeprefix": ("removes {a} at the start", "remove it at the start"),
    "removesuffix": ("removes {a} at the end", "remove it at the end"),
}
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


def thing(node: ast.AST, source: str, rng: Random) -> str:
    """Name an expression as people do: `width` in backticks, or the width."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return source
    if PLAIN.fullmatch(source):
        parts = re.findall(r"[A-Za-z]+", source.rpartition(".")[2])
        if parts and rng.random() < 0.4:
            return "the " + " ".join(parts).lower()
        return f"`{source}`"
    if (
        isinstance(node, ast.Call)
        and source.startswith("len(")
        and PLAIN.fullmatch(source[4:-1])
        and rng.random() < 0.7
    ):
        return f"the length of `{source[4:-1]}`"
    if len(source) <= 16 and "\n" not in source and "`" not in source and '"' not in source:
        return f"`{source}`"
    inner = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id != "self"]
    return (
        f"the {rng.choice(('value', 'result', 'expression'))}" if not inner or rng.random() < 0.5 else f"`{inner[-1]}`"
    )


def arithmetic(wrong: str, right: str, a: str, b: str) -> Say:
    def say(rng: Random) -> Clause:
        does, _, noun = VERBS[wrong]
        _, should, right_noun = VERBS[right]
        return rng.choice(
            (
                Clause(does.format(a=a, b=b), should),
                Clause(does.format(a=a, b=b), f"{should} {'it' if right != '%' else ''}".strip()),
                Clause(f"returns the {noun} of {a} and {b}", f"return the {right_noun}"),
                Clause(f"takes the {noun} of {a} and {b}", f"take the {right_noun}"),
                Clause(f"uses `{wrong}`", f"use `{right}`"),
                Clause(f"{does.split()[0]} {b}", f"{should} {b}"),
            )
        )

    return say


def missing_step(sign: str, a: str) -> Say:
    def say(rng: Random) -> Clause:
        verb, past, size = ("add", "adding", "small") if sign == "+" else ("subtract", "subtracting", "large")
        tail = f"{'to' if sign == '+' else 'from'} {a}"
        return rng.choice(
            (
                Clause(f"forgets to {verb} 1 {tail}", f"{verb} 1"),
                Clause(f"uses {a} without {past} 1", f"{verb} 1"),
                Clause(f"is off by one: {a} is one too {size}", f"{verb} 1"),
                Clause(f"does not {verb} 1 {tail}", f"{verb} 1"),
                Clause(f"takes {a}", f"take {a} {'plus' if sign == '+' else 'minus'} 1"),
            )
        )

    return say


def extra_step(sign: str, a: str) -> Say:
    def say(rng: Random) -> Clause:
        verb, size, word = ("adds", "large", "plus") if sign == "+" else ("subtracts", "small", "minus")
        return rng.choice(
            (
                Clause(f"{verb} 1 {'to' if sign == '+' else 'from'} {a}", f"not {verb[:-1]} 1"),
                Clause(f"returns {a} {word} 1", f"return {a}"),
                Clause(f"is off by one: it returns one too {'many' if sign == '+' else 'few'}", f"return {a}"),
                Clause(f"returns a value that is one too {size}", f"return {a}"),
            )
        )

    return say


def comparison(wrong: str, right: str, a: str, b: str) -> Say:
    if "is" in wrong.split():
        return _identity(wrong, a, b)

    def say(rng: Random) -> Clause:
        form = rng.randrange(3)
        bad, good = ORDER[wrong][form], ORDER[right][form]
        options = [
            Clause(f"compares {a} with {b} by `{wrong}`", f"use `{right}`"),
            Clause(f"uses `{wrong}`", f"use `{right}`"),
            Clause(f"tests whether {a} is {bad} {b}", f"test whether it is {good} it"),
            Clause(f"asks for {a} {bad} {b}", f"ask for {good}"),
        ]
        if wrong in ("<", ">") and right == wrong + "=":
            options += [
                Clause(f"misses the case where {a} equals {b}", "include it"),
                Clause(f"leaves out {a} equal to {b}", "include equal values"),
                Clause(f"excludes {b} itself", "include it"),
            ]
        elif right in ("<", ">") and wrong == right + "=":
            options += [
                Clause(f"includes {a} equal to {b}", "exclude it"),
                Clause(
                    f"also accepts {a} when it equals {b}",
                    f"accept only {'smaller' if right == '<' else 'larger'} ones",
                ),
                Clause(f"includes {b} itself", "exclude it"),
            ]
        elif wrong[0] in "<>":
            options.append(Clause(f"compares {a} and {b} the wrong way round", f"test for {good}"))
        return rng.choice(options)

    return say


def _identity(wrong: str, a: str, b: str) -> Say:
    bad, good = ("is", "is not") if wrong == "is" else ("is not", "is")

    def say(rng: Random) -> Clause:
        return rng.choice(
            (
                Clause(f"tests whether {a} {bad} {b}", f"test that it {good} {b}"),
                Clause(f"acts when {a} {bad} {b}", f"act when it {good}"),
                Clause(f"uses `{bad}`", f"use `{good}`"),
            )
        )

    return say


def boolean(wrong: str, a: str, b: str) -> Say:
    def say(rng: Random) -> Clause:
        options = [Clause(f"joins the conditions with `{wrong}`", f"use `{'or' if wrong == 'and' else 'and'}`")]
        if wrong == "and":
            options += [
                Clause(f"wants both {a} and {b}", "be content with either"),
                Clause("requires both conditions", "require only one of them"),
                Clause(f"needs {a} and {b}", "need only one of the two"),
            ]
        else:
            options += [
                Clause(f"is content with {a} or {b}", "want both"),
                Clause("accepts either condition", "require both"),
                Clause(f"needs only one of {a} and {b}", "need both"),
            ]
        return rng.choice(options)

    return say


def method(wrong: str, right: str, owner: str, argument: str) -> Say:
    def say(rng: Random) -> Clause:
        plain = Clause(f"calls `{wrong}`", f"call `{right}`")
        used = Clause(f"uses `{wrong}` on {owner or 'it'}", f"use `{right}`")
        if wrong not in PHRASES or right not in PHRASES or rng.random() < 0.35:
            return rng.choice((plain, used))
        does = PHRASES[wrong][0].format(o=owner or "the values", a=argument or "white space")
        return Clause(does, PHRASES[right][1])

    return say


def negation(condition: str, *, missing: bool) -> Say:
    def say(rng: Random) -> Clause:
        yes, no = f"when {condition} holds", f"when {condition} does not hold"
        true, false = f"when {condition} is set", f"when {condition} is not set"
        if not missing:
            yes, no, true, false = no, yes, false, true
        return rng.choice(
            (
                Clause("tests the condition the wrong way round", "test the opposite"),
                Clause(f"acts {yes}", f"act {no}"),
                Clause(f"takes the branch {true}", f"take it {false}"),
                Clause(f"lacks a `not` before {condition}", "negate it")
                if missing
                else Clause(f"negates {condition}", "not negate it"),
            )
        )

    return say


def _swapped(wrong: str, right: str, role: Role | None, plain: tuple[tuple[str, str], ...], quoted: float) -> Say:
    """Word one value in the place of another, by what is done with it."""

    def say(rng: Random) -> Clause:
        verb, third = role if role and rng.random() < 0.75 else rng.choice(plain)
        w, r = (f"`{wrong}`", f"`{right}`") if rng.random() < quoted else (wrong, right)
        short = verb.startswith("set ") and rng.random() < 0.5
        return Clause(f"{third} {w}", f"{'be' if short else verb} {r}")

    return say


def literal(wrong: str, right: str, role: Role | None) -> Say:
    return _swapped(wrong, right, role, (("use", "uses"), ("give", "gives")), 0.5)


def constant(wrong: str, right: str, role: Role | None) -> Say:
    return _swapped(wrong, right, role, (("use", "uses"), ("take", "takes")), 0.25)


def text(wrong: str, right: str, role: Role | None) -> Say:
    return _swapped(wrong, right, role, (("use", "uses"), ("write", "writes"), ("use the key", "uses the key")), 1)


def item(wrong: str, right: str, owner: str) -> Say:
    names = {
        "0": "the first item", "-1": "the last item", "1": "the second item", ":-1": "all but the last item",
        "1:": "all but the first item", "::1": "the order as it is", "::-1": "the reverse order",
    }  # fmt: skip

    def say(rng: Random) -> Clause:
        if rng.random() < 0.3:
            return Clause(f"uses `[{wrong}]`", f"use `[{right}]`")
        return Clause(f"takes {names[wrong]} of {owner}", f"take {names[right]}")

    return say


def variable(wrong: str, right: str, role: Role | None) -> Say:
    if "." not in wrong and role and role[0] in ("return", "use", "add", "subtract", "compare"):
        plain = ((role[0] + " the", role[1] + " the"), ("use", "uses"))
        return _swapped(wrong, right, role, plain, 1)
    return _swapped(wrong, right, role, (("use", "uses"), ("take", "takes")), 1)


def default(argument: str, wrong: str, right: str) -> Say:
    def say(rng: Random) -> Clause:
        return rng.choice(
            (
                Clause(f"has the default `{wrong}` for `{argument}`", f"be `{right}`"),
                Clause(f"lets `{argument}` default to {wrong}", f"default to {right}"),
                Clause(f"uses {wrong} as the default of `{argument}`", f"use {right}"),
            )
        )

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
        return rng.choice(("True", "False", "0", "1"))
    if re.fullmatch(r"'[A-Za-z_]+'|\"[A-Za-z_]+\"", source):
        return source[0] + other_text(source[1:-1], rng) + source[0]
    return None
