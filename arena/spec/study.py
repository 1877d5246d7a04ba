"""A study: cells that belong together, what is claimed of them, and when to stop.

Its cells are listed, or span a grid: a base cell and axes, each a choice of labels with what each label changes in the
base. The grid's cells are all combinations.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, model_validator

from arena.errors import CellError
from arena.spec.canonical import JSON
from arena.spec.cell import LoadedCell, cell_of, find_cell, load_cell
from arena.spec.claim import Claims
from arena.spec.document import Document, overlay, read_document, validated
from arena.spec.invalid import did_you_mean, wrong
from arena.spec.model import Frozen, Name, Text
from arena.spec.problem import KeyPath, PlacedError, Problem, refuse

MAX_CELLS = 1000
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def _some_labels(labels: dict[str, dict[str, JsonValue]]) -> dict[str, dict[str, JsonValue]]:
    if not labels:
        raise wrong("an axis without labels; give it at least one, such as 'plain: {}'")
    return labels


Axis = Annotated[dict[Name, dict[str, JsonValue]], AfterValidator(_some_labels)]


class Grid(Frozen):
    base: Text
    """The cell that every cell of the grid extends: its name, or a file."""
    axes: dict[Name, Axis]
    """Each axis a choice of labels; each label says what it changes in the base: `sft: {recipe: {…}}`."""
    name: Text | None = None
    """The cells' names, such as `demo-{weights}-{harness}`; without it the labels joined by `-`."""

    @model_validator(mode="after")
    def _spans_something(self) -> "Grid":
        if not self.axes:
            raise wrong("a grid needs at least one axis, got none", ("axes",))
        size = 1
        for axis, labels in self.axes.items():
            size *= len(labels)
            for label, changes in labels.items():
                if "cell" in changes or "claims" in changes:
                    text = "a grid names its cells by their labels, and claims stand in the study; remove this key"
                    raise wrong(text, ("axes", axis, label, "cell" if "cell" in changes else "claims"))
        if size > MAX_CELLS:
            raise wrong(f"a grid of {size} cells; at most {MAX_CELLS}", ("axes",))
        return self

    @model_validator(mode="after")
    def _is_named_by_its_axes(self) -> "Grid":
        named = _PLACEHOLDER.findall(self.name) if self.name is not None else list(self.axes)
        for word in named:
            if word not in self.axes:
                raise wrong(f"no axis {word!r}{did_you_mean(word, self.axes)}", ("name",))
        missing = [axis for axis, labels in self.axes.items() if axis not in named and len(labels) > 1]
        if missing:
            raise wrong(f"cells would share a name: {{{missing[0]}}} is not in {self.name!r}", ("name",))
        return self

    def cells(self) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
        """Give each cell's name, and its axes with their labels."""
        for labels in itertools.product(*self.axes.values()):
            chosen = dict(zip(self.axes, labels, strict=True))
            name = self.name or "-".join(f"{{{axis}}}" for axis in self.axes)
            for axis, label in chosen.items():
                name = name.replace(f"{{{axis}}}", label)
            yield name, tuple(chosen.items())


class Stop(Frozen):
    """When replicates are no longer added."""

    when: Literal["decided"] = "decided"
    """`decided`: when every claim is, or cannot be any more."""
    design: Literal["e_value", "group_sequential"] = "e_value"
    """What decides: `e_value` allows any number of looks; `group_sequential` one after each round, and finds more."""
    e_value: float = Field(20.0, gt=1, allow_inf_nan=False)
    """Evidence at which a claim is decided; 20 keeps the error rate below 1/20 whenever one looks."""
    replicates_max: int = Field(10, ge=1, le=1000)
    """Most replicates of a panel."""


class Study(Frozen):
    """Cells, claims and a stopping rule."""

    study: Name
    """The study's name; its claims are locked under it."""
    cells: tuple[Text, ...] = ()
    """Cells by name, or files relative to the study's."""
    grid: Grid | None = None
    """All combinations of what the axes change in one base cell."""
    claims: Claims = ()
    """What is expected, said before it is measured."""
    stop: Stop | None = None
    """When replicates are no longer added; none runs the replicates that the cells declare."""

    @model_validator(mode="after")
    def _has_cells(self) -> "Study":
        if not self.cells and self.grid is None:
            raise wrong("a study needs `cells`, `grid` or both", ("study",))
        return self


@dataclass(frozen=True)
class LoadedStudy:
    """A study and all of its cells, each as if it had a file of its own."""

    study: Study
    document: Document
    cells: tuple[LoadedCell, ...]

    @property
    def path(self) -> Path:
        return self.document.path

    @property
    def folder(self) -> Path:
        return self.path.parent


def load_study(path: Path | str) -> LoadedStudy:
    """Read a study with its cells; raises `CellError` with one line for everything that is wrong."""
    document = read_document(Path(path))
    study = validated(document, Study)
    cells = _cells(study, document)
    problems = [*_names_twice(document, cells), *_claims(document, study, cells)]
    if problems:
        refuse(problems)
    return LoadedStudy(study, document, tuple(cell for _, cell in cells))


def load_named(name: str, folder: Path) -> LoadedCell:
    """Read a cell by its name, found from `folder` upwards, or by a file relative to `folder`."""
    if name.endswith((".yaml", ".yml")):
        return load_cell(folder / name)
    loaded = load_cell(find_cell(name, folder))
    if loaded.cell.cell != name:
        raise CellError(f"{loaded.path} declares the cell {loaded.cell.cell!r}; its file and its name must agree")
    return loaded


Placed = tuple[KeyPath, LoadedCell]
"""A cell, and where the study names it."""


def _cells(study: Study, document: Document) -> list[Placed]:
    found: list[Placed] = []
    wrongs: list[str] = []
    for path, read in _readers(study, document):
        try:
            found.append((path, read()))
        except PlacedError as error:
            wrongs.extend(str(error).splitlines())
        except CellError as error:
            wrongs.append(str(document.problem(path, str(error))))
    if wrongs:
        raise PlacedError("\n".join(dict.fromkeys(wrongs)))
    return found


def _readers(study: Study, document: Document) -> Iterator[tuple[KeyPath, Callable[[], LoadedCell]]]:
    folder = document.path.parent
    for index, name in enumerate(study.cells):
        yield ("cells", index), partial(load_named, name, folder)
    if study.grid is not None:
        base = partial(load_named, study.grid.base, folder)
        for name, labels in study.grid.cells():
            yield ("grid", "base"), partial(_combination, base, document, name, labels)


def _combination(
    base: Callable[[], LoadedCell], study: Document, name: str, labels: tuple[tuple[str, str], ...]
) -> LoadedCell:
    """Return the base cell with what each label changes, under the name that the grid gives it."""
    result = base().document
    for axis, label in labels:
        at = ("grid", "axes", axis, label)
        result = overlay(result, _mapping(study.value, at), study, at)
    value = {key: item for key, item in result.value.items() if key != "claims"}
    places = {**result.places, ("cell",): study.place(("grid", "name"))}
    return cell_of(Document(study.path, {**value, "cell": name}, places, ("cell",)))


def _mapping(value: Mapping[str, JSON], at: tuple[str, ...]) -> Mapping[str, JSON]:
    for key in at:
        below = value[key]
        assert isinstance(below, dict)
        value = below
    return value


def _names_twice(document: Document, cells: list[Placed]) -> Iterator[Problem]:
    names = [loaded.cell.cell for _, loaded in cells]
    for index, (path, loaded) in enumerate(cells):
        if loaded.cell.cell in names[:index]:
            yield document.problem(path, f"the cell {loaded.cell.cell!r} is in the study already; name it once")


def _claims(document: Document, study: Study, cells: list[Placed]) -> Iterator[Problem]:
    by_name = {loaded.cell.cell: loaded.cell for _, loaded in cells}
    for index, claim in enumerate(study.claims):
        for key, name in (("treatment", claim.treatment), ("comparator", claim.comparator)):
            cell = by_name.get(name)
            if cell is None:
                text = f"no such cell in this study, got {name!r}{did_you_mean(name, by_name)}"
                yield document.problem(("claims", index, key), text)
            elif claim.suite not in [panel.suite for panel in cell.evaluate]:
                suites = [panel.suite for panel in cell.evaluate]
                text = f"the cell {name!r} is not evaluated on {claim.suite!r}{did_you_mean(claim.suite, suites)}"
                yield document.problem(("claims", index, "suite"), text)
