"""Resolve a cell: find everything that it names, pin it in a plan, and build what the stages need."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.errors import CellError, RecordError
from arena.execute.agent import build_harness, resolved
from arena.execute.harness import Harness
from arena.execute.models import find_base
from arena.execute.train import Trained
from arena.records.run import find_run, load_run
from arena.records.store import Store
from arena.spec.cell import Cell, LoadedCell, PinnedModel, TrainedModel, find_cell, load_cell
from arena.spec.check import check_cell, named_plugins
from arena.spec.goal import find_goal
from arena.spec.plan import Facts, PanelFacts, Plan, make_plan
from arena.spec.plugin import PluginSource, find, source_digest
from arena.spec.problem import refuse
from arena.spec.sample import Sample, resolve_sample
from arena.spec.weights import weights_digest
from arena.suites.load import BUILT_IN, load_suite
from arena.suites.suite import Suite


@dataclass(frozen=True)
class StartingPoint:
    """The weights that a cell starts from."""

    base: Path
    adapter: Path | None
    digest: str
    """Of the base's weights, or of the adapter's where there is one."""


@dataclass(frozen=True)
class ResolvedPanel:
    suite: Suite
    samples: tuple[Sample, ...]
    """One a replicate."""


@dataclass(frozen=True)
class Resolved:
    """A cell with everything that it names."""

    loaded: LoadedCell
    plan: Plan
    start: StartingPoint
    harness: Harness
    panels: tuple[ResolvedPanel, ...]
    sources: Mapping[str, PluginSource]
    data: Path | None
    data_digest: str | None

    @property
    def cell(self) -> Cell:
        return self.loaded.cell

    def run_folder(self, runs: Path) -> Path:
        return runs / self.cell.cell / self.plan.digest8


def resolve(loaded: LoadedCell, runs: Path) -> Resolved:
    """Find and pin what a cell names.

    Raises
    ------
    CellError
        Something that the cell names is not there, with the cell's file and line.
    """
    if problems := check_cell(loaded):
        refuse(problems)
    cell = loaded.cell
    with loaded.at("goal"):
        goal = find_goal(cell.goal, loaded.folder)
    with loaded.at("model"):
        start = _start(cell, loaded.folder, runs)
    panels = tuple(_panel(loaded, index) for index in range(len(cell.evaluate)))
    sources = _sources(loaded, panels)
    with loaded.at("harness"):
        harness = build_harness(
            cell.harness.solver, cell.harness.parameters, cell.harness.plugins, folder=loaded.folder
        )
    data_digest = _file_digest(loaded)
    facts = Facts(
        goal=goal,
        revision=cell.model.revision if isinstance(cell.model, PinnedModel) else start.digest,
        panels=tuple(
            PanelFacts(panel.suite.digest(), panel.suite.scorer, panel.suite.score_definition, panel.samples)
            for panel in panels
        ),
        plugins=tuple(sources.values()),
        harness=resolved(harness),
        data={str(cell.recipe.parameters["data"]): data_digest} if data_digest else {},
    )
    return Resolved(loaded, make_plan(cell, facts), start, harness, panels, sources, loaded.data, data_digest)


def _start(cell: Cell, folder: Path, runs: Path) -> StartingPoint:
    if isinstance(cell.model, PinnedModel):
        base = find_base(cell.model.base, cell.model.revision, folder)
        return StartingPoint(base, None, weights_digest(base).digest)
    return _trained_start(cell.model, folder, runs)


def _trained_start(model: TrainedModel, folder: Path, runs: Path) -> StartingPoint:
    name, wanted = model.source.cell, model.source.checkpoint
    parent = load_cell(find_cell(name, folder))
    before = _start(parent.cell, parent.folder, runs)
    try:
        stage = load_run(find_run(runs, name), episodes=False).stages["train"]
    except (RecordError, KeyError) as missing:
        raise CellError(f"the cell {name!r} has not been trained ({missing}); run it first") from None
    slot = Store(runs / "store").slot("train", stage.key)
    if slot.record is None:
        raise CellError(f"the training of {name!r} ({stage.key[:8]}) is not in the store; run that cell again")
    found = Trained(stage.key, slot.output, slot.record).checkpoint(wanted)
    if found is None:
        return before
    digest = weights_digest(found).digest
    adapter = (found / "adapter_config.json").exists()
    return StartingPoint(before.base, found, digest) if adapter else StartingPoint(found, None, digest)


def _panel(loaded: LoadedCell, index: int) -> ResolvedPanel:
    panel = loaded.cell.evaluate[index]
    with loaded.at("evaluate", index, "suite"):
        if ":" in panel.suite:
            find(panel.suite, loaded.folder)
        suite = load_suite(panel.suite)
    with loaded.at("evaluate", index, "sample"):
        ids, shipped = suite.ids(), suite.samples()
        samples = tuple(resolve_sample(name, ids, shipped) for name in panel.samples)
    return ResolvedPanel(suite, samples)


def _sources(loaded: LoadedCell, panels: tuple[ResolvedPanel, ...]) -> dict[str, PluginSource]:
    """Return the source of every plug-in that the cell names anywhere, and of its suites and their scorers."""
    places = {spec: place for place, spec in named_plugins(loaded).items()}
    for number, (declared, panel) in enumerate(zip(loaded.cell.evaluate, panels, strict=True)):
        for spec in (panel.suite.scorer, BUILT_IN.get(declared.suite, declared.suite)):
            places.setdefault(spec, ("evaluate", number, "suite"))
    sources = {}
    for spec, place in places.items():
        with loaded.at(*place):
            sources[spec] = source_digest(spec, loaded.folder)
    return sources


def _file_digest(loaded: LoadedCell) -> str | None:
    if loaded.data is None:
        return None
    digest = None
    with loaded.at("recipe", "with", "data"):
        try:
            with loaded.data.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as missing:
            raise CellError(f"{loaded.data}: the data file cannot be read ({missing.strerror})") from None
    return digest
