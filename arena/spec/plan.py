"""The plan: a cell's declared inputs, resolved and pinned. Its digest names the run.

Nothing that is known only later is in it: what came out, and where, goes to the stages' records. The cell's name and
its claims are kept out of the digest: two cells that declare the same have the same plan.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue, ValidationError

from arena.errors import RecordError
from arena.spec.canonical import canonical_json, digest_of
from arena.spec.cell import Cell
from arena.spec.goal import Goal
from arena.spec.model import Frozen
from arena.spec.sample import Sample
from arena.spec.source import PluginSource

PLAN_VERSION = 1


@dataclass(frozen=True)
class PanelFacts:
    """What a panel's suite and samples resolved to."""

    suite_digest: str
    scorer: str
    """The scorer's `module:function`."""
    score_definition: str
    samples: tuple[Sample, ...]
    """One for each replicate."""


@dataclass(frozen=True)
class Facts:
    """Everything that a plan pins and that the cell alone does not say; looked up by the caller."""

    goal: Goal
    revision: str
    """What the model's revision resolved to: the cell's own, or the digest of the trained checkpoint's weights."""
    panels: tuple[PanelFacts, ...]
    """In the cell's order."""
    plugins: tuple[PluginSource, ...]
    """Of every `module:function` that the cell and its suites name."""
    harness: Mapping[str, object] = field(default_factory=dict)
    """The resolved harness: prompt, tool schemas, limits, working directory."""
    data: Mapping[str, str] = field(default_factory=dict)
    """The recipe's data files as the cell names them, and the sha256 of each."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Images that the suites' environments name, and the digest of each."""


class PlannedSample(Frozen):
    name: str
    """As the cell names it; `listed` for a list of ids."""
    algorithm: str
    """How the ids were chosen from the sorted pool."""
    seed: int | None
    pool_digest: str
    """The sha256 over the suite's ids, whatever their order."""
    ids_digest: str
    """The sha256 over the sample's ids, whatever their order."""
    ids: tuple[str, ...]
    """In the order in which they are run."""
    dropped: tuple[str, ...]
    """Ids that were taken out of the sample."""


class PlannedPanel(Frozen):
    suite: str
    suite_digest: str
    """Of everything in the suite on which an outcome can depend."""
    scorer: str
    """The scorer's `module:function`."""
    score_definition: str
    samples: tuple[PlannedSample, ...]
    """One for each replicate."""


class PlannedPlugin(Frozen):
    spec: str
    """Its `module:function`."""
    digest: str
    """The sha256 over its files and its packages' versions."""
    files_digest: str
    """The sha256 over its files alone."""
    packages: dict[str, str]
    """Version of every distribution that it requires or imports."""


class PlannedGoal(Frozen):
    name: str
    digest: str
    """The sha256 of the goal's file."""
    rules: dict[str, JsonValue]


class Plan(Frozen):
    """A lock: the same plan is the same work."""

    version: int
    """Of this format; another one is refused."""
    name: str
    """The cell's name; no part of the digest."""
    cell: dict[str, JsonValue]
    """What the cell declares, defaults included, less its name and claims."""
    goal: PlannedGoal
    """The goal's version, digest and rules."""
    revision: str
    """The weights from which the cell starts: a commit, or a digest."""
    panels: tuple[PlannedPanel, ...]
    """In the cell's order."""
    plugins: tuple[PlannedPlugin, ...]
    """Every `module:function` that the cell and its suites name, sorted."""
    harness: dict[str, JsonValue]
    """The resolved harness: prompt, tool schemas, limits, working directory."""
    data: dict[str, str]
    """The sha256 of each data file, by the name that the cell gives it."""
    images: dict[str, str]
    """The digest of each image, by its name."""

    @property
    def digest(self) -> str:
        """The sha256 of the plan's canonical JSON, 64 hex digits."""
        return digest_of(self.model_dump(mode="json", exclude={"name"}))

    @property
    def digest8(self) -> str:
        return self.digest[:8]

    def to_json(self) -> str:
        """Return the plan as a lock file's text, its digest included."""
        content = {"digest": self.digest, **self.model_dump(mode="json")}
        return json.dumps(content, indent=2, ensure_ascii=False, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """Return the plan that `to_json` wrote; a changed or damaged one is a `RecordError`."""
        try:
            content: Any = json.loads(text)
        except ValueError as error:
            raise RecordError(f"a plan is damaged, got no valid JSON: {error}; plan the cell again") from None
        if not isinstance(content, dict) or content.get("version") != PLAN_VERSION:
            version = content.get("version") if isinstance(content, dict) else type(content).__name__
            raise RecordError(f"expected a plan of version {PLAN_VERSION}, got {version!r}; plan the cell again")
        declared = content.pop("digest", None)
        try:
            plan = cls.model_validate_json(json.dumps(content), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise RecordError(f"a plan is damaged at {where}: {first['msg']}; plan the cell again") from None
        if plan.digest != declared:
            text = f"a plan was changed: its digest is {plan.digest}, it says {declared!r}; plan the cell again"
            raise RecordError(text)
        return plan


def make_plan(cell: Cell, facts: Facts) -> Plan:
    """Pin what a cell declares to what it resolved to."""
    if len(facts.panels) != len(cell.evaluate):
        raise ValueError(f"facts of {len(facts.panels)} panels for a cell with {len(cell.evaluate)}")
    return Plan(
        version=PLAN_VERSION,
        name=cell.cell,
        cell=cell.declared(),
        goal=PlannedGoal(name=cell.goal, digest=facts.goal.digest, rules=facts.goal.rules.model_dump(mode="json")),
        revision=facts.revision,
        panels=tuple(_panel(panel.suite, one) for panel, one in zip(cell.evaluate, facts.panels, strict=True)),
        plugins=tuple(_plugin(one) for one in sorted(set(facts.plugins), key=lambda one: one.spec)),
        harness=_json(facts.harness),
        data=dict(facts.data),
        images=dict(facts.images),
    )


def _json(value: Mapping[str, object]) -> dict[str, JsonValue]:
    result: dict[str, JsonValue] = json.loads(canonical_json(value))
    return result


def _panel(suite: str, facts: PanelFacts) -> PlannedPanel:
    return PlannedPanel(
        suite=suite,
        suite_digest=facts.suite_digest,
        scorer=facts.scorer,
        score_definition=facts.score_definition,
        samples=tuple(PlannedSample(**vars(sample)) for sample in facts.samples),
    )


def _plugin(source: PluginSource) -> PlannedPlugin:
    return PlannedPlugin(
        spec=source.spec, digest=source.digest, files_digest=source.files_digest, packages=dict(source.packages)
    )
