"""A repository and its tasks as they are written down: `repository.yaml`, `tree/` and `tasks/*.yaml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from arena.errors import UsageError

Tree = Mapping[str, str]
"""Path relative to the repository's root → text."""

Tier = Literal["tier1", "tier2", "tier3"]

FAMILIES = (
    "wrong arithmetic operator",
    "min and max swapped",
    "wrong constant",
    "wrong variable",
    "wrong comparison",
    "and and or swapped",
    "wrong string method",
    "off by one",
    "missing or extra not",
    "wrong default",
    "wrong literal",
    "true and false swapped",
    "wrong method",
)
"""The defect families of tier 1."""


class Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Commit(Written):
    date: AwareDatetime
    message: str
    adds: tuple[str, ...]
    """`path`, or `path::name` for a definition that its file did not have before."""


class History(Written):
    """`repository.yaml`."""

    version: str
    author: str = Field(pattern=r"^[^<>]+ <[^<>]+>$")
    commits: tuple[Commit, ...] = Field(min_length=2)


class Edit(Written):
    """What the defect put in place of what is right."""

    path: str
    right: str
    """Text that stands exactly once in the file of `tree/`."""
    wrong: str


class Task(Written):
    """`tasks/<number>.yaml`."""

    tier: Tier
    family: str = ""
    difficulty: Literal["<15 min fix", "15 min - 1 hour", "1-4 hours"] = "<15 min fix"
    issue: str
    """What a user wrote; all that the agent is told."""
    defect: tuple[Edit, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Repository:
    name: str
    history: History
    tree: Tree
    """The repository in its last and right state, with every test."""
    tasks: Mapping[str, Task]
    """Number → task."""

    def instance_id(self, number: str) -> str:
        return f"mini__{self.name}-{number}"


def repositories(folder: Path) -> dict[str, Repository]:
    """Read every repository under `folder`, by name."""
    return {path.name: repository(path) for path in sorted(folder.iterdir()) if (path / "repository.yaml").is_file()}


def repository(folder: Path) -> Repository:
    """Read one repository; raises `UsageError` that names the file."""
    tasks = {path.stem: _read(path, Task) for path in sorted((folder / "tasks").glob("*.yaml"))}
    return Repository(folder.name, _read(folder / "repository.yaml", History), _tree(folder / "tree"), tasks)


def _tree(root: Path) -> Tree:
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf8") for path in files}


Model = TypeVar("Model", bound=Written)


def _read(path: Path, model: type[Model]) -> Model:
    try:
        return model.model_validate(yaml.safe_load(path.read_text(encoding="utf8")))
    except (OSError, yaml.YAMLError) as cause:
        raise UsageError(f"{path}: cannot be read: {cause}") from cause
    except ValidationError as cause:
        first = cause.errors()[0]
        raise UsageError(f"{path}: {'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from cause
