"""What may explain a difference between two runs: every declared and recorded fact as a path and a value.

A path begins with the section of the cell to which it belongs (`recipe.with.lr`) or with the stage that recorded it
(`serve.facts.dtype` is written `served.facts.dtype`, since `serve` is the declared section). A factor's role:

design       declared in the cell or pinned by its plan
nuisance     where and with what it ran: hardware, packages, GPUs used, co-serving, a generation config that was found
consequence  what a stage made of what it was given: it follows from the section `of` and from the sections before it
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from arena.spec.plan import Plan

UNRECORDED = "unrecorded"
"""What stands for a fact that nobody recorded; equal to nothing, itself included."""

Scalar: TypeAlias = "bool | int | float | str | None"
Role = Literal["design", "nuisance", "consequence"]

SECTIONS = ("goal", "model", "budget", "recipe", "package", "harness", "serve", "generate", "evaluate")
"""The sections of a cell, whose factors are design."""


@dataclass(frozen=True)
class Factor:
    path: str
    """`recipe.with.lora.r`, `trained.weights_digest`, `packages.torch`."""
    value: Scalar
    """A JSON scalar; a list is its canonical JSON."""
    role: Role
    of: str | None = None
    """For a consequence: the section of the cell from which it follows, with the sections before that one."""


@dataclass(frozen=True)
class Difference:
    path: str
    role: Role
    a: Scalar
    b: Scalar
    """None where the run has no such factor."""
    of: str | None = None


@dataclass(frozen=True)
class Differences:
    """How two runs differ; four lists, each sorted by path."""

    design: tuple[Difference, ...]
    nuisance: tuple[Difference, ...]
    """Also consequences that differ although nothing differs from which they could follow."""
    consequences: tuple[Difference, ...]
    unrecorded: tuple[Difference, ...]
    """Nobody can say whether these differ: a side is unknown."""


def factors(plan: Plan, stage_records: Mapping[str, Mapping[str, object]]) -> tuple[Factor, ...]:
    """Flatten a plan and its stages' records."""
    raise NotImplementedError


def differing(a: tuple[Factor, ...], b: tuple[Factor, ...]) -> Differences:
    """Compare two runs' factors."""
    raise NotImplementedError


def under(path: str, prefix: str) -> bool:
    """Whether `path` is `prefix` or lies below it: `recipe.with.lr` is under `recipe` and under `recipe.with`."""
    return path == prefix or path.startswith(f"{prefix}.")
