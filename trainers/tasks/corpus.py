"""Small source files for generated tasks: pieces of the interpreter's own standard library, under other names.

A piece is a run of whole definitions of one module, 20 to 160 lines long. No repository of a suite is ever read here.
"""

import ast
import builtins
import keyword
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Literal

from trainers.tasks import words

Split = Literal["train", "held_out"]

LEFT_OUT = frozenset(
    [
        *("site-packages", "dist-packages", "__pycache__", "test", "tests", "idle_test", "idlelib", "lib2to3"),
        *("turtledemo", "ensurepip", "encodings", "pydoc_data", "this.py", "antigravity.py"),
    ]
)
LINES = (20, 120)
WORD = re.compile(r"(?<![A-Za-z0-9\\])[A-Za-z]+")


@dataclass(frozen=True)
class Piece:
    """One small source file before it is renamed."""

    module: str
    text: str


@cache
def pieces(split: Split) -> tuple[Piece, ...]:
    """Return every piece of the split, in a fixed order; a whole module falls on one side."""
    library = Path(sysconfig.get_paths()["stdlib"])
    found: list[Piece] = []
    for path in sorted(library.rglob("*.py")):
        module = path.relative_to(library).as_posix()
        if LEFT_OUT.isdisjoint(path.parts) and split_of(module) == split:
            found += cut(module, path.read_text(encoding="utf-8", errors="replace"))
    return tuple(found)


def split_of(module: str) -> Split:
    return "held_out" if sha256(module.encode()).digest()[0] < 26 else "train"


def cut(module: str, text: str) -> Iterator[Piece]:
    if not text.isascii() or "\t" in text:
        return
    tree = parsed(text)
    if tree is None:
        return
    lines = text.splitlines()
    for header, body in _bodies(tree, lines):
        yield from _runs(module, header, body, lines)


def _bodies(tree: ast.Module, lines: list[str]) -> Iterator[tuple[list[str], list[ast.stmt]]]:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    yield [], list[ast.stmt](functions)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.body[0].lineno > node.lineno:
            methods = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
            yield lines[node.lineno - 1 : node.body[0].lineno - 1], list[ast.stmt](methods)


def _runs(module: str, header: list[str], body: list[ast.stmt], lines: list[str]) -> Iterator[Piece]:
    run = list(header)
    for node in body:
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        block = lines[first : node.end_lineno]
        if len(block) > 60 or (not header and lines[first].startswith(" ")):
            continue
        if len(run) + len(block) > LINES[1]:
            yield from _piece(module, run)
            run = list(header)
        run += ([""] if run and len(run) > len(header) else []) + block
    yield from _piece(module, run)


def _piece(module: str, run: list[str]) -> Iterator[Piece]:
    text = "\n".join(run) + "\n"
    if len(run) < LINES[0] or max(map(len, run)) > 110:
        return
    if parsed(text) is not None:
        yield Piece(module, text)


def parsed(text: str) -> ast.Module | None:
    """Return the tree, or none where the text is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is odd in a renamed text is of no interest
            return ast.parse(text)
    except SyntaxError:
        return None


def renamed(text: str, rng: Random, share: float = 0.5) -> str:
    """Return the text with a share of its words replaced, the same word always by the same other one."""
    kept = _protected()
    names: dict[str, str] = {}
    taken = set(WORD.findall(text))

    def other(match: re.Match[str]) -> str:
        old = match.group()
        if old not in names:
            names[old] = old
            if len(old) > 1 and old not in kept and rng.random() < share:
                new = words.word(rng)
                if new not in taken and new not in kept:
                    names[old] = new.capitalize() if old[0].isupper() else new
                    taken.add(new)
        return names[old]

    return WORD.sub(other, text)


@cache
def _protected() -> frozenset[str]:
    """Return the words that keep their meaning only under their own name."""
    names = [*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *sys.stdlib_module_names]
    for kind in (str, bytes, list, dict, set, tuple, int, float):
        names += dir(kind)
    names += ["self", "cls", "args", "kwargs", "rb", "br", "fr", "rf", "deque", "popleft", "appendleft", "write"]
    return frozenset(word for name in names for word in WORD.findall(name))
