"""A cell: one base model, goal, budget, recipe and harness, and what it is evaluated on."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, JsonValue, Tag, model_validator

from arena.errors import CellError
from arena.spec.claim import Claims
from arena.spec.document import Document, read_document, validated
from arena.spec.files import find_upwards
from arena.spec.invalid import wrong
from arena.spec.model import CheckpointName, Frozen, Hours, ModuleFunction, Name, Revision, SuiteName, Text
from arena.spec.problem import PlacedError, refuse

NO_TRAINER = "trainers.none:train"
"""The recipe that trains nothing."""

T = TypeVar("T")

SampleName: TypeAlias = "str | tuple[str, ...]"
"""A sample's name, or the ids themselves."""


class PinnedModel(Frozen):
    """A base checkpoint at a revision that cannot move."""

    base: Text
    """The base model: a hub name, or a folder."""
    revision: Revision
    """The commit (40 hex digits), or `sha256:` and the digest of the weights; a name that can move is refused."""


class CheckpointOf(Frozen):
    cell: Name
    """The cell that trained it."""
    checkpoint: CheckpointName
    """`submitted`, `final`, or a checkpoint's name such as `step_900`."""


class TrainedModel(Frozen):
    """A checkpoint that another cell trained."""

    source: CheckpointOf = Field(alias="from")
    """The cell and its checkpoint."""


def _model_kind(value: object) -> str:
    trained = "from" in value if isinstance(value, dict) else isinstance(value, TrainedModel)
    return "trained model" if trained else "pinned model"


def _one_origin(value: object) -> object:
    if isinstance(value, dict) and "from" in value and ("base" in value or "revision" in value):
        raise wrong("has both a base and `from`; keep one (a null takes away what a parent file sets)", ("from",))
    return value


Model = Annotated[
    Annotated[PinnedModel, Tag("pinned model")] | Annotated[TrainedModel, Tag("trained model")],
    Discriminator(_model_kind),
    BeforeValidator(_one_origin),
]


class Budget(Frozen):
    """What is allocated to training; what was used is measured."""

    gpus: int = Field(0, ge=0, le=4096)
    """GPUs; 0 is the CPU."""
    hours: Hours = 0.0
    """Hours of wall-clock time; 0 only with a recipe that trains nothing."""


class Recipe(Frozen):
    """How the model is trained."""

    trainer: ModuleFunction = NO_TRAINER
    """The trainer, `module:function`."""
    seed: int = Field(0, ge=0, lt=2**32)
    """The training seed."""
    teacher: Text | None = None
    """The model whose outputs are trained on, if there is one: distillation, which a goal may forbid."""
    parameters: dict[str, JsonValue] = Field(default_factory=dict, alias="with")
    """The trainer's parameters; `data` is a file, relative to the file that names it."""


class Package(Frozen):
    """How weights are made ready to be served."""

    stop_tokens: Literal["as_is", "union"] = "as_is"
    """`union` adds the token that ends a turn to those at which generation stops; `as_is` leaves them as found."""
    fixes: tuple[Text, ...] = ()
    """Further repairs by name; none is made that does not stand here."""


class HarnessSpec(Frozen):
    """What makes a model an agent."""

    solver: ModuleFunction = "solvers.react:solver"
    """The solver, `module:function`."""
    plugins: tuple[ModuleFunction, ...] = ()
    """Plug-ins that change the harness, applied in this order."""
    parameters: dict[str, JsonValue] = Field(default_factory=dict, alias="with")
    """The solver's parameters."""


class Serve(Frozen):
    """How the model is served."""

    engine: Literal["embedded", "scripted", "vllm", "openai"] = "embedded"
    """`embedded` runs in this process, `scripted` replays given answers, `openai` is an endpoint that runs already."""
    tool_parser: Text | None = None
    """How tool calls are read from the model's text, by the engine's name for it."""
    max_model_len: int | None = Field(None, gt=0)
    """Longest context in tokens; none for the model's own."""
    args: dict[str, JsonValue] = Field(default_factory=dict)
    """Arguments for the engine alone."""


class Generate(Frozen):
    """How the model's answers are sampled."""

    temperature: float = Field(1.0, ge=0, le=10, allow_inf_nan=False)
    """0 takes the likeliest token every time."""
    top_p: float = Field(1.0, gt=0, le=1)
    """Share of the probability from which a token is drawn."""
    max_tokens: int = Field(4096, gt=0)
    """Longest answer in tokens."""
    thinking: bool = False
    """Whether the chat template is asked for a thinking block."""
    strict_tools: bool = False
    """Whether decoding is constrained to the tools' schemas, which hides malformed calls."""
    seed: int = Field(0, ge=0, lt=2**32)
    """Each episode's sampling seed is derived from it, the task and the replicate."""


def _distinct_ids(ids: tuple[str, ...]) -> tuple[str, ...]:
    if not ids:
        raise wrong("an empty sample; list at least one task, or name a sample")
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise wrong(f"task ids stand twice: {', '.join(twice[:5])}; remove one of each")
    return ids


def _list_or_one(value: object) -> str:
    return "a list" if isinstance(value, list | tuple) else "one"


SampleSpec = Annotated[
    Annotated[Text, Tag("one")] | Annotated[tuple[Text, ...], AfterValidator(_distinct_ids), Tag("a list")],
    Discriminator(_list_or_one),
]


class Replicate(Frozen):
    sample: SampleSpec
    """The tasks of this replicate."""


def _not_empty(items: tuple[T, ...]) -> tuple[T, ...]:
    if not items:
        raise wrong("expected a list of at least one, got []")
    return items


Replicates = Annotated[
    Annotated[int, Field(ge=1, le=1000), Tag("one")]
    | Annotated[tuple[Replicate, ...], AfterValidator(_not_empty), Tag("a list")],
    Discriminator(_list_or_one),
]


class PanelBudget(Frozen):
    hours: float = Field(gt=0, allow_inf_nan=False)
    """Hours of wall-clock time; episodes that did not run in it are recorded as such."""


class Panel(Frozen):
    """One suite on which the cell is evaluated."""

    suite: SuiteName
    """A built-in suite's name, or `module:function`."""
    sample: SampleSpec = "all"
    """The tasks: a sample's name, such as `seed0-250`, or a list of ids."""
    replicates: Replicates = 1
    """How often every task is run; or a list with a sample for each time."""
    budget: PanelBudget | None = None
    """Limit on this panel's time; none is no limit."""
    retries: int = Field(2, ge=0, le=100)
    """How often an unscored episode is tried again."""

    @model_validator(mode="after")
    def _one_way_to_name_samples(self) -> "Panel":
        if not isinstance(self.replicates, int) and "sample" in self.model_fields_set:
            text = f"each replicate names its own sample, got {self.sample!r} as well; remove one of the two"
            raise wrong(text, ("sample",))
        return self

    @property
    def samples(self) -> tuple[SampleName, ...]:
        """The sample of each replicate, in order."""
        if isinstance(self.replicates, int):
            return (self.sample,) * self.replicates
        return tuple(replicate.sample for replicate in self.replicates)


class Cell(Frozen):
    """One answer's worth of work."""

    cell: Name
    """The cell's name; its runs lie under it."""
    goal: Name
    """The goal's version, such as `v5`: the file `goals/v5.md` in a folder above."""
    model: Model
    """What is trained or evaluated."""
    budget: Budget = Budget()
    """What is allocated to training."""
    recipe: Recipe = Recipe()
    """How it is trained."""
    package: Package = Package()
    """How its weights are made ready to be served."""
    harness: HarnessSpec = HarnessSpec()
    """What makes it an agent."""
    serve: Serve = Serve()
    """How it is served."""
    generate: Generate = Generate()
    """How its answers are sampled."""
    evaluate: Annotated[tuple[Panel, ...], AfterValidator(_not_empty)]
    """The suites, one panel each."""
    claims: Claims = ()
    """What is expected; kept in a ledger of its own and part of no plan."""

    @model_validator(mode="after")
    def _fits_together(self) -> "Cell":
        if self.budget.hours == 0 and self.recipe.trainer != NO_TRAINER:
            text = f"0 hours are only for {NO_TRAINER}, got the trainer {self.recipe.trainer!r}; give it time"
            raise wrong(text, ("budget", "hours"))
        for index, panel in enumerate(self.evaluate):
            if panel.suite in [other.suite for other in self.evaluate[:index]]:
                text = f"{panel.suite!r} has a panel already; give that one more replicates, each with its sample"
                raise wrong(text, ("evaluate", index, "suite"))
        return self

    @model_validator(mode="after")
    def _claims_are_its_own(self) -> "Cell":
        for index, claim in enumerate(self.claims):
            if self.cell not in (claim.treatment, claim.comparator):
                text = f"a claim in the cell {self.cell!r} is about it, got {claim.treatment!r} against "
                raise wrong(f"{text}{claim.comparator!r}; claims on other cells stand in a study", ("claims", index))
        return self

    def declared(self) -> dict[str, JsonValue]:
        """Return the declared inputs as JSON, without what is identity (the name) or kept elsewhere (claims)."""
        declared: dict[str, JsonValue] = self.model_dump(mode="json", by_alias=True, exclude={"cell", "claims"})
        return declared


@dataclass(frozen=True)
class LoadedCell:
    """A cell, and where each of its values stands."""

    cell: Cell
    document: Document

    @property
    def path(self) -> Path:
        return self.document.path

    @property
    def folder(self) -> Path:
        """Folder of the cell's file; goals, other cells and modules are found from here upwards."""
        return self.path.parent

    @property
    def data(self) -> Path | None:
        """The recipe's data file, relative to the file that names it; none where the recipe has none."""
        value = self.cell.recipe.parameters.get("data")
        if not isinstance(value, str):
            return None
        return self.document.place(("recipe", "with", "data")).file.parent / value

    @contextmanager
    def at(self, *path: str | int) -> Iterator[None]:
        """Give a `CellError` that is raised inside the place of `path` in the cell's file."""
        try:
            yield
        except PlacedError:
            raise
        except CellError as error:
            raise PlacedError(str(self.document.problem(path, str(error)))) from error


def load_cell(path: Path | str) -> LoadedCell:
    """Read and validate a cell's file; raises `CellError` with one line for everything that is wrong."""
    return cell_of(read_document(Path(path)))


def cell_of(document: Document) -> LoadedCell:
    """Validate a document as a cell."""
    if "cell" in document.value and "cell" not in document.keys:
        refuse([document.problem(("cell",), f"is the parent's name; give {document.path} a `cell:` of its own")])
    return LoadedCell(validated(document, Cell), document)


def find_cell(name: str, folder: Path) -> Path:
    """Return the file of the cell `name`: `NAME.yaml` in `folder`, in one above it, or in a `cells/` of these."""
    return find_upwards(folder, "cells", f"{name}.yaml", f"the cell {name!r}")
