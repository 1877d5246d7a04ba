"""What may explain a difference between two runs: every declared and recorded fact as a path and a value.

A declared fact's path begins with the cell's section (`recipe.with.lr`), a recorded one's with what was done
(`trained.steps`). A factor has one of three roles:

design       declared in the cell, or pinned by its plan
nuisance     where and with what it ran: hardware, packages, GPUs used, co-serving, a generation config that was found
consequence  what a stage made of what it was given; it follows from the section `of` and those before it
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from arena.spec.canonical import canonical_json
from arena.spec.plan import Plan, PlannedPanel

UNRECORDED = "unrecorded"
"""What stands for a fact that nobody recorded; equal to nothing, itself included."""

Scalar: TypeAlias = "bool | int | float | str | None"
Role = Literal["design", "nuisance", "consequence"]

_TRAINING = ("goal", "model", "budget", "recipe")
CAUSES: Mapping[str, tuple[str, ...]] = {
    "recipe": _TRAINING,
    "package": (*_TRAINING, "package"),
    "serve": (*_TRAINING, "package", "serve", "generate"),
    "harness": ("harness",),
}
"""The sections from which a consequence `of` one of them follows."""

_STAGES: Mapping[str, tuple[str, str]] = {
    "check": ("checked", ""),
    "attest": ("attested", ""),
    "train": ("trained", "recipe"),
    "package": ("packaged", "package"),
    "serve": ("served", "serve"),
    "evaluate": ("evaluated", ""),
}
"""A stage's word in paths, and the section from which its record follows; without one the record is nuisance."""

_MACHINE = frozenset({"gpus_used", "hardware", "limits_kind", "machine", "packages", "sandbox", "source", "used"})
_VERSIONS = frozenset({"device", "engine_version", "torch", "transformers", "vllm"})
_FOUND = frozenset({"co_served_with", "co_serving", "generation_config", "generation_config_found"})
_NUISANCE = _MACHINE | _VERSIONS | _FOUND
_TIMES = frozenset({"finished_at", "gpu_hours", "history", "seconds", "started_at"})
_PROVENANCE = frozenset({"commit", "dirty"})
"""Of the checkout: a new cell alone makes another commit, and plug-ins have digests of their own."""
_NO_FACTOR = (
    _TIMES | _PROVENANCE | {"allocated", "findings", "folder", "key", "log", "logs", "path", "pid", "port", "url"}
)
_OPEN = frozenset({"recipe.with", "harness.with", "serve.args"})
"""Mappings that a person fills; an empty one says nothing."""
_MEASURES = frozenset({"measures", "loss"})


@dataclass(frozen=True)
class Factor:
    path: str
    """`recipe.with.lora.r`, `trained.weights_after`, `packages.torch`; a key that has a dot in it is quoted."""
    value: Scalar
    """A JSON scalar; a list is its canonical JSON."""
    role: Role
    of: str | None = None
    """For a consequence: the section of the cell from which it follows; see `CAUSES`."""


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
    """Flatten a plan and its stages' records, sorted by path.

    Of a record, times, paths and identities are passed over: they say nothing about what was measured. The cell's
    name, its study and its file are identity and no factors.
    """
    found = {factor.path: factor for factor in (*_declared(plan), *_recorded(stage_records))}
    return tuple(found[path] for path in sorted(found))


def differing(a: Sequence[Factor], b: Sequence[Factor]) -> Differences:
    """Compare two runs' factors; a fact that only one of them recorded is unrecorded."""
    left, right = ({factor.path: factor for factor in side} for side in (a, b))
    found: dict[str, list[Difference]] = {"design": [], "nuisance": [], "consequence": [], "unrecorded": []}
    for path in sorted(left.keys() | right.keys()):
        if (kind := _kind(left.get(path), right.get(path))) is not None:
            found[kind].append(_difference(left.get(path), right.get(path)))
    explained = [one for one in found["consequence"] if _has_cause(one, found["design"], found["unrecorded"])]
    alone = [one for one in found["consequence"] if one not in explained]
    both = [one for one in alone if one.path in left and one.path in right]
    nuisance = sorted((*found["nuisance"], *both), key=lambda one: one.path)
    unrecorded = sorted((*found["unrecorded"], *(one for one in alone if one not in both)), key=lambda one: one.path)
    return Differences(tuple(found["design"]), tuple(nuisance), tuple(explained), tuple(unrecorded))


def for_suite(found: Sequence[Factor], suite: str) -> tuple[Factor, ...]:
    """Return the factors that bear on one suite's panel: those of other suites' panels are left out."""
    other = [f"{section}." for section in ("evaluate", "attested")]
    mine = [f"{section}{_key(suite)}" for section in other]
    return tuple(
        one for one in found if not one.path.startswith(tuple(other)) or any(under(one.path, prefix) for prefix in mine)
    )


def under(path: str, prefix: str) -> bool:
    """Whether `path` is `prefix` or lies below it: `recipe.with.lr` is under `recipe` and under `recipe.with`."""
    return path == prefix or path.startswith(f"{prefix}.")


def _declared(plan: Plan) -> Iterator[Factor]:
    design: dict[str, object] = {"goal": plan.goal.name, "goal.digest": plan.goal.digest}
    for section, declared in plan.cell.items():
        if section not in ("goal", "evaluate"):
            design.update((path, value) for path, value in _flat(section, declared) if value != {} or path not in _OPEN)
    design["model.resolved"] = plan.revision
    for file, digest in plan.data.items():
        same = [path for path, value in design.items() if under(path, "recipe.with") and value == file]
        for path in same or [f"recipe.data.{_key(file)}"]:
            design[path] = f"sha256:{digest}"
    for image, digest in plan.images.items():
        design[f"evaluate.images.{_key(image)}"] = digest
    panels = cast("list[dict[str, object]]", plan.cell["evaluate"])
    for panel, settings in zip(plan.panels, panels, strict=True):
        design.update(_panel(panel, settings))
    design.update(_sources(plan))
    yield from (Factor(path, _scalar(value), "design") for path, value in design.items())
    for path, value in _flat("harness.resolved", plan.harness):
        yield Factor(path, _scalar(value), "consequence", "harness")
    for plugin in plan.plugins:
        for name, version in plugin.packages.items():
            yield Factor(f"packages.{_key(name)}", version, "nuisance")


def _panel(panel: PlannedPanel, settings: Mapping[str, object]) -> dict[str, object]:
    head = f"evaluate.{_key(panel.suite)}"
    digests = [sample.ids_digest for sample in panel.samples]
    same = len(set(digests)) == 1
    rest = {key: settings[key] for key in ("budget", "retries")}
    return {
        f"{head}.suite_digest": panel.suite_digest,
        f"{head}.scorer": panel.scorer,
        f"{head}.score_definition": panel.score_definition,
        f"{head}.sample": digests[0] if same else digests,
        f"{head}.replicates": len(digests),
        **dict(_flat(head, rest)),
    }


def _sources(plan: Plan) -> dict[str, object]:
    """Return the digest of each plug-in's files below the section that names it."""
    recipe = cast("dict[str, object]", plan.cell["recipe"])
    harness = cast("dict[str, object]", plan.cell["harness"])
    places = {recipe["trainer"]: "recipe.trainer", harness["solver"]: "harness.solver"}
    places.update({spec: f"harness.plugins.{_key(str(spec))}" for spec in cast("list[str]", harness["plugins"])})
    for panel in plan.panels:
        places.setdefault(panel.scorer, f"evaluate.{_key(panel.suite)}.scorer")
        places.setdefault(panel.suite, f"evaluate.{_key(panel.suite)}")
    return {
        f"{places.get(plugin.spec, f'evaluate.sources.{_key(plugin.spec)}')}.source": plugin.files_digest
        for plugin in plan.plugins
    }


def _recorded(stage_records: Mapping[str, Mapping[str, object]]) -> Iterator[Factor]:
    for stage, record in stage_records.items():
        if stage not in _STAGES:
            continue
        word, section = _STAGES[stage]
        for path, value in _flat(word, _facts(record)):
            if value == {}:
                continue
            nuisance = not section or not _NUISANCE.isdisjoint(path.split("."))
            role: Role = "nuisance" if nuisance else "consequence"
            yield Factor(path, _scalar(value), role, None if nuisance else section)


def _facts(value: object) -> object:
    """Return a record less what is no factor."""
    if isinstance(value, Mapping):
        return {key: _facts(item) for key, item in value.items() if key not in _NO_FACTOR}
    if isinstance(value, list | tuple):
        return [_facts(item) for item in value]
    return value


def _flat(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from _flat(f"{path}.{_key(key)}", item)
    else:
        yield path, value


def _key(key: str) -> str:
    return canonical_json(key) if "." in key or '"' in key else key


def _scalar(value: object) -> Scalar:
    if isinstance(value, str):
        return canonical_json(value) if value[:1] in ("[", "{", '"') else value
    if value is None or isinstance(value, bool | int | float):
        return value
    return canonical_json(value)


def _kind(a: Factor | None, b: Factor | None) -> str | None:
    """Return the list into which two runs' values of one path go, or none where they are the same."""
    factor = a or b
    assert factor is not None
    if UNRECORDED in [one.value for one in (a, b) if one is not None]:
        return "unrecorded"
    if a is None or b is None:
        return "unrecorded" if factor.role == "nuisance" else factor.role
    return None if canonical_json(a.value) == canonical_json(b.value) else factor.role


def _difference(a: Factor | None, b: Factor | None) -> Difference:
    factor = a or b
    assert factor is not None
    return Difference(factor.path, factor.role, a.value if a else None, b.value if b else None, factor.of)


def _has_cause(one: Difference, design: Sequence[Difference], unrecorded: Sequence[Difference]) -> bool:
    """Whether something differs, or may, from which a consequence follows; a mere measure needs no cause."""
    if not _MEASURES.isdisjoint(one.path.split(".")):
        return True
    prefixes = CAUSES.get(one.of or "", ())
    causes = [cause for cause in (*design, *unrecorded) if cause.role == "design"]
    return any(under(cause.path, prefix) for cause in causes for prefix in prefixes)
