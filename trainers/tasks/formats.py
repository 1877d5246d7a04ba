"""What the base model reads: well-formed tool calls on plain instructions; no issue, and no repair of a defect."""

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from trainers.tasks import corpus, repairs, tools, words
from trainers.tasks.chat import Message, Messages, call, result

READING = 0.5
"""The share of questions where in a function something is done; they are answered, and nothing is changed."""
JUDGED = ("off_by_one", "not")
"""Families whose wording calls the code wrong: no question of the base is worded so."""
ASKED = (
    "In `{f}` in `{p}`, replace `{o}` by `{n}`.",
    "In `{p}`, change `{o}` to `{n}` in `{f}`.",
    "`{f}` in `{p}`: write `{n}` instead of `{o}`.",
    "In `{p}`, `{f}` has `{o}`; make it `{n}`.",
)
ASKED_REST = (
    "In `{f}` in `{p}`, replace the line from `{o}` on by `{n}`.",
    "`{f}` in `{p}`: from `{o}` to the end of its line, write `{n}`.",
)
ASKED_LINE = (
    "In `{f}` in `{p}`, replace the line with `{o}` by `{n}`.",
    "`{f}` in `{p}`: the line that has `{o}` should read `{n}`.",
)
MARKS = re.compile(r"(?<=\w) ?[-+*/%<>=!,.:]{1,2} ?(?=\w)")
OTHER_MARKS = (" + ", " - ", " * ", " < ", " > ", " == ", " <= ", " >= ", ", ", " != ", ".")


class Change(NamedTuple):
    ask: str
    old: str
    new: str


def transcripts(seed: int, split: corpus.Split = "train") -> Iterator[Messages]:
    """Yield conversations without end; the same seed and the same Python give the same ones."""
    rng = Random(f"formats {split} {seed}")
    pool = corpus.pieces(split)
    while True:
        text = corpus.renamed(rng.choice(pool).text, rng)
        made = _reading(text, rng) if rng.random() < READING else _instruction(text, rng)
        if made is not None:
            yield made


def _reading(text: str, rng: Random) -> Messages | None:
    made = repairs.make(text, rng)
    span = repairs.fragment(made) if made else None
    if made is None or span is None or made.family in JUDGED:
        return None
    ask = f"Where in `{made.function}` of `{made.path}` is the part that {made.does}?"
    look = call("bash", command=tools.grep_command(made.name, made.path, None))
    return _conversation(ask, [look, result(repairs.shown(made))], rng, made.broken[span[0] : span[1]])


def _instruction(text: str, rng: Random) -> Messages | None:
    path = words.path(rng)
    kind = rng.random()
    if kind < 0.07:
        count = rng.randint(3, 12)
        head = "\n".join(text.splitlines()[:count])
        steps = [call("bash", command=f"head -n {count} {path}"), result(head)]
        return _conversation(f"Show the first {count} lines of `{path}`.", steps, rng)
    if kind < 0.15:
        word = rng.choice(re.findall(r"[a-z]{3,}", text))
        hits = [f"{i}:{line}" for i, line in enumerate(text.splitlines(), 1) if word in line]
        if len(hits) > 8:
            return None
        steps = [call("bash", command=f"grep -n {word} {path}"), result("\n".join(hits))]
        return _conversation(f"Search `{path}` for `{word}`.", steps, rng)
    return _of_function(text, path, kind, rng)


def _of_function(text: str, path: str, kind: float, rng: Random) -> Messages | None:
    found = repairs.functions(text)
    if not found:
        return None
    owner, function = rng.choice(found)
    shown = tools.grep_function(text, function.name)
    if not 0 < len(shown) <= repairs.SHOWN_CHARS:
        return None
    steps = [call("bash", command=tools.grep_command(function.name, path, None)), result(shown)]
    ask = rng.choice(("Show `{f}` in `{p}`.", "Show the function `{f}` of `{p}`."))
    if kind > 0.22:
        make = _words if kind < 0.65 else _rest if kind < 0.8 else _line if kind < 0.9 else _returned
        change = make(text, shown, rng)
        made = change and _changing(change, function.name, path, in_shell=kind < 0.8)
        if not change or not made:
            return None
        ask = change.ask
        steps += [made, result("")]
    name = f"{owner}.{function.name}" if owner else function.name
    return _conversation(ask.replace("{f}", name).replace("{p}", path), steps, rng)


def _changing(change: Change, name: str, path: str, *, in_shell: bool) -> Message | None:
    if not in_shell:
        return call("edit", path=path, old=change.old, new=change.new)
    command = tools.substitute_command(name, path, None, (change.old, change.new))
    return call("bash", command=command) if command else None


def _conversation(ask: str, steps: Messages, rng: Random, answer: str = "done") -> Messages:
    system = rng.choice((repairs.SYSTEM.format(task_folder=repairs.FOLDER), "You are a software engineer.", ""))
    turns: Messages = [{"role": "system", "content": system}] if system else []
    return [*turns, {"role": "user", "content": ask}, *steps, call("submit", answer=answer)]


def _words(_text: str, shown: str, rng: Random) -> Change | None:
    """Ask for other words, or another operator, where the old ones stand once in what is shown."""
    for _ in range(8):
        line = rng.choice(shown.splitlines())
        words = tools.word_spans(line)
        if not words:
            continue
        if rng.random() < 0.25:
            marks = [mark for mark in MARKS.findall(line) if shown.count(mark) == 1]
            old, new = (rng.choice(marks), rng.choice(OTHER_MARKS)) if marks else ("", "")
        else:
            first = rng.randrange(len(words))
            span = words[first : first + rng.choice((1, 1, 2, 2, 3, 4))]
            start, end = rng.choice(span)
            old = line[span[0][0] : span[-1][1]]
            new = line[span[0][0] : start] + _other(line[start:end], rng) + line[end : span[-1][1]]
        if old != new and "`" not in old and shown.count(old) == 1:
            return Change(rng.choice(ASKED).replace("{o}", old).replace("{n}", new), old, new)
    return None


def _other(word: str, rng: Random) -> str:
    if word.isdigit():
        return str(rng.randrange(100))
    return rng.choice(("", f"not {word}", f"{word} + 1")) if rng.random() < 0.2 else words.word(rng)


def _rest(_text: str, shown: str, rng: Random) -> Change | None:
    """Ask for another end of the line that has a given word."""
    picked = _picked(shown, rng)
    if picked is None:
        return None
    line, start, end = picked
    new = words.word(rng)
    return Change(rng.choice(ASKED_REST).replace("{o}", line[start:end]).replace("{n}", new), line[start:], new)


def _line(text: str, shown: str, rng: Random) -> Change | None:
    """Ask for another line in the place of the one that has a given word."""
    picked = _picked(shown, rng)
    if picked is None or text.count(picked[0].strip()) != 1:
        return None
    line, start, end = picked
    new = rng.choice(("pass", "return None", f"return {words.word(rng)}"))
    return Change(rng.choice(ASKED_LINE).replace("{o}", line[start:end]).replace("{n}", new), line.strip(), new)


def _picked(shown: str, rng: Random) -> tuple[str, int, int] | None:
    """Return a line that is not long, and a word's place in it that is found nowhere else."""
    for _ in range(8):
        line = rng.choice(shown.splitlines())
        words = [(s, e) for s, e in tools.word_spans(line) if shown.count(line[s:e]) == 1]
        if words and len(line.strip()) <= 60:
            return (line, *rng.choice(words))
    return None


def _returned(text: str, shown: str, rng: Random) -> Change | None:
    lines = [line.strip() for line in shown.splitlines() if line.strip().startswith("return ")]
    line = rng.choice(lines) if lines else ""
    if text.count(line) != 1 or len(line) > 60:
        return None
    what = rng.choice(re.findall(r"[A-Za-z_]+", shown))
    return Change(f"In `{{p}}`, make `{{f}}` return `{what}`.", line, f"return {what}")
