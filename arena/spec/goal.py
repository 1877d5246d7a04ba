"""A goal: what a cell is asked to reach, as a versioned text with rules that a check can read.

`goals/v5.md` is front matter (the rules, YAML between two lines of `---`) and the text. The digest is over both.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from arena.errors import CellError
from arena.spec.canonical import digest_of_text
from arena.spec.document import Document, places_of, validated
from arena.spec.files import find_upwards, read_text_file
from arena.spec.model import Frozen, Hours, Text
from arena.spec.yaml_text import read_yaml

_FENCE = "---"


def _list_or_word(value: object) -> str:
    return "a list" if isinstance(value, list | tuple) else "a word"


Allowed = Annotated[
    Annotated[Literal["any"], Tag("a word")] | Annotated[tuple[Text, ...], Tag("a list")],
    Discriminator(_list_or_word),
]


class GoalRules(Frozen):
    """What a check can hold against a cell."""

    distillation: Literal["allowed", "forbidden"]
    """Whether a recipe may train on another model's outputs (`recipe.teacher`)."""
    gpus_max: int | None = Field(None, ge=0)
    """Most GPUs that a cell may be given; none is no limit."""
    hours_max: Hours | None = None
    """Most hours that a cell may be given; none is no limit."""
    bases: Allowed = "any"
    """Base models that may be trained: `any`, or a list of names."""
    data: Allowed = "any"
    """Data files that may be trained on: `any`, or a list of names, in which `*` stands for anything."""


@dataclass(frozen=True)
class Goal:
    name: str
    rules: GoalRules
    text: str
    """What the agent or the group that trains is told, without the front matter."""
    digest: str
    """The sha256 of the whole file with its line ends made `\\n`."""
    path: Path


def load_goal(path: Path) -> Goal:
    """Read a goal's file."""
    content = "\n".join(read_text_file(path).splitlines()) + "\n"
    lines = content.splitlines()
    if lines[0].rstrip() != _FENCE or _FENCE not in [line.rstrip() for line in lines[1:]]:
        text = f"{path}:1: a goal begins with its rules between two lines of '---', got {lines[0][:60]!r}"
        raise CellError(text)
    end = [line.rstrip() for line in lines[1:]].index(_FENCE) + 1
    reading = read_yaml("\n".join(lines[1:end]), path, first_line=2)
    value = reading.value if reading.value is not None else {}
    if not isinstance(value, dict):
        raise CellError(f"{path}:2: a goal's rules are keys and values, such as 'distillation: forbidden'")
    rules = validated(Document(path, value, places_of(reading)), GoalRules)
    text = "\n".join(lines[end + 1 :]).strip() + "\n"
    if not text.strip():
        raise CellError(f"{path}:{end + 1}: the goal's text is missing; it stands below the rules")
    return Goal(path.stem, rules, text, digest_of_text(content), path)


def find_goal(name: str, folder: Path) -> Goal:
    """Read the goal `name`: `goals/NAME.md` in `folder` or in one above it."""
    return load_goal(find_upwards(folder, "goals", f"{name}.md", f"the goal {name!r}"))
