"""What can be said against a cell before any machine is asked: its goal's rules, its plug-ins, its files."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from arena.errors import ArenaError, CellError
from arena.spec.cell import LoadedCell, PinnedModel, TrainedModel
from arena.spec.files import is_file
from arena.spec.goal import Goal, find_goal
from arena.spec.model import is_module_function
from arena.spec.plugin import find, load
from arena.spec.problem import KeyPath, Problem
from arena.spec.study import load_named


def check_cell(loaded: LoadedCell) -> list[Problem]:
    """Return everything that is wrong with a cell that is well-formed; nothing is run but the plug-ins' imports."""
    return [*_goal(loaded), *_model(loaded), *_data(loaded), *_plugins(loaded)]


def _goal(loaded: LoadedCell) -> Iterator[Problem]:
    try:
        goal = find_goal(loaded.cell.goal, loaded.folder)
    except CellError as error:
        yield loaded.document.problem(("goal",), str(error))
        return
    for path, text in _broken_rules(loaded, goal):
        yield loaded.document.problem(path, f"goal {goal.name} {text}")


def _broken_rules(loaded: LoadedCell, goal: Goal) -> Iterator[tuple[KeyPath, str]]:
    cell, rules = loaded.cell, goal.rules
    if rules.distillation == "forbidden" and cell.recipe.teacher is not None:
        yield ("recipe", "teacher"), f"forbids distillation, got the teacher {cell.recipe.teacher!r}"
    if rules.gpus_max is not None and cell.budget.gpus > rules.gpus_max:
        yield ("budget", "gpus"), f"allows at most {rules.gpus_max} GPUs, got {cell.budget.gpus}"
    if rules.hours_max is not None and cell.budget.hours > rules.hours_max:
        yield ("budget", "hours"), f"allows at most {rules.hours_max:g} hours, got {cell.budget.hours:g}"
    if isinstance(cell.model, PinnedModel) and not _matches(cell.model.base, rules.bases):
        yield ("model", "base"), f"allows the base models {_listed(rules.bases)}, got {cell.model.base!r}"
    data = cell.recipe.parameters.get("data")
    if isinstance(data, str) and not _matches(data, rules.data):
        yield ("recipe", "with", "data"), f"allows the data {_listed(rules.data)}, got {data!r}"


def _matches(name: str, allowed: str | tuple[str, ...]) -> bool:
    return isinstance(allowed, str) or any(fnmatchcase(name, pattern) for pattern in allowed)


def _listed(allowed: str | tuple[str, ...]) -> str:
    return ", ".join(allowed) if allowed and not isinstance(allowed, str) else "none"


def _model(loaded: LoadedCell) -> Iterator[Problem]:
    model = loaded.cell.model
    if isinstance(model, PinnedModel) and set(model.revision.removeprefix("sha256:")) == {"0"}:
        text = f"a placeholder, got {model.revision!r}; give the commit or the digest of the weights that you have"
        yield loaded.document.problem(("model", "revision"), text)
    seen = [loaded.cell.cell]
    cell, folder = loaded.cell, loaded.folder
    while isinstance(cell.model, TrainedModel):
        name = cell.model.source.cell
        if name in seen:
            text = f"a cell cannot start from itself: {' → '.join([*seen, name])}"
            yield loaded.document.problem(("model", "from", "cell"), text)
            return
        try:
            parent = load_named(name, folder)
        except CellError as error:
            yield loaded.document.problem(("model", "from", "cell"), str(error))
            return
        seen.append(name)
        cell, folder = parent.cell, parent.folder


def _data(loaded: LoadedCell) -> Iterator[Problem]:
    if loaded.data is not None and not is_file(loaded.data):
        got = loaded.cell.recipe.parameters["data"]
        text = f"no such file, got {got!r}; looked for {loaded.data}"
        yield loaded.document.problem(("recipe", "with", "data"), text)


def named_plugins(loaded: LoadedCell) -> dict[KeyPath, str]:
    """Return every `module:function` that a cell names, by its place.

    Among the parameters of recipe, harness and engine, a text counts that has this form and whose module is there.
    """
    cell = loaded.cell
    named: dict[KeyPath, str] = {("recipe", "trainer"): cell.recipe.trainer, ("harness", "solver"): cell.harness.solver}
    named.update({("harness", "plugins", index): spec for index, spec in enumerate(cell.harness.plugins)})
    for index, panel in enumerate(cell.evaluate):
        if is_module_function(panel.suite):
            named["evaluate", index, "suite"] = panel.suite
    for path, value in (
        (("recipe", "with"), cell.recipe.parameters),
        (("harness", "with"), cell.harness.parameters),
        (("serve", "args"), cell.serve.args),
    ):
        named.update(_plugins_below(path, value, loaded.folder))
    return named


def _plugins_below(path: KeyPath, value: object, folder: Path) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _plugins_below((*path, key), item, folder)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _plugins_below((*path, index), item, folder)
    elif isinstance(value, str) and is_module_function(value):
        try:
            find(value, folder)
        except CellError:
            return
        yield path, value


def _plugins(loaded: LoadedCell) -> Iterator[Problem]:
    for path, spec in named_plugins(loaded).items():
        try:
            load(spec, loaded.folder)
        except ArenaError as error:
            yield loaded.document.problem(path, str(error))
