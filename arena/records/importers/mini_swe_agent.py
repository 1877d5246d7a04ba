"""mini-swe-agent: `preds.json`, `INSTANCE/INSTANCE.traj.json` and `exit_statuses_*.yaml`; no grades of its own."""

from collections.abc import Iterator
from pathlib import Path

from arena.errors import RecordError
from arena.records.importers.imported import DEFAULTS, Imported, Options
from arena.records.importers.patches import Exit, has_patches, predictions, trajectory_facts, trial
from arena.records.importers.reading import Fields, Source, as_fields, entries, is_text, shown
from arena.records.importers.rows import Findings, Planned, factor_key, imported
from arena.records.outcome import Limit

NAME = "mini_swe_agent"
LOOKS_FOR = "a folder with preds.json, INSTANCE/INSTANCE.traj.json or exit_statuses*.yaml, or one of these files"
SCORES = ("resolved/scored", "resolved/planned", "resolved/submitted")
SUITE = "swe_bench"

_TRAJECTORY = ".traj.json"


def recognises(path: Path) -> bool:
    if path.is_file():
        return path.name.endswith(_TRAJECTORY) or _is_statuses(path) or has_patches(path)
    return (path / "preds.json").is_file() or any(_statuses_files(path)) or any(_trajectories(path))


def read(path: Path, options: Options = DEFAULTS) -> Imported:
    """Read a batch of runs; without a grader's reports only empty patches have a grade."""
    found = Findings(Source(path), options)
    preds = path if path.is_file() and has_patches(path) else path / "preds.json"
    handed_in, lost = predictions(preds, found) if preds.is_file() else ({}, 0)
    ended = exits(path, found)
    tasks = sorted(handed_in.keys() | ended.keys())
    if not tasks:
        raise RecordError(f"{path}: no instance of it can be read")
    found.note("which instances were planned is not recorded by this format")
    found.note("patches are not graded here: grade them with swebench, and import its reports with them")
    models = {one.model for one in handed_in.values() if one.model}
    if len(models) == 1:
        found.knows("model.base", models.pop())
    trials = [trial(task, handed_in.get(task), ended.get(task), None, found) for task in tasks]
    return imported(NAME, found, [(Planned(SUITE, replicates=1, unnamed=lost), trials)], SCORES)


def exits(path: Path, found: Findings) -> dict[str, Exit]:
    """Return how each instance's agent ended: by its trajectory, or else by the newest list of exit statuses."""
    ended: dict[str, Exit] = {}
    for file in [path] if path.is_file() and _is_statuses(path) else _statuses_files(path):
        ended |= _statuses(file, found)
    for file in [path] if path.name.endswith(_TRAJECTORY) else _trajectories(path):
        task = file.name.removesuffix(_TRAJECTORY)
        try:
            own = _trajectory(file, found)
        except RecordError as damage:
            found.damaged(damage)
            ended[task] = Exit("", str(file))
            continue
        listed = ended.get(task)
        if own.status or listed is None:
            ended[task] = own
        if listed is not None and own.status and own.status != listed.status:
            found.note(f"{file}: ended by {own.status}, {listed.place} has {listed.status}: the trajectory's is taken")
    return ended


def _is_statuses(path: Path) -> bool:
    return path.name.startswith("exit_statuses") and path.suffix == ".yaml"


def _statuses_files(path: Path) -> Iterator[Path]:
    yield from (entry for entry in entries(path) if _is_statuses(entry) and entry.is_file())


def _trajectories(path: Path) -> Iterator[Path]:
    for folder in (path, path / "trajs"):
        for entry in entries(folder):
            if entry.is_file() and entry.name.endswith(_TRAJECTORY):
                yield entry
            elif (own := entry / f"{entry.name}{_TRAJECTORY}").is_file():
                yield own


def _statuses(file: Path, found: Findings) -> dict[str, Exit]:
    try:
        lists = as_fields(found.source.yaml(file), str(file)).fields("instances_by_exit_status")
        ended: dict[str, Exit] = {}
        for status in lists.data:
            if not is_text(status):
                raise RecordError(f"{lists.place}: expected the name of an exit status, got {shown(status)}")
            for task in lists.maybe_ids(status) or ():
                if task in ended:
                    raise RecordError(f"{lists.place}: {task!r} stands under {ended[task].status} and under {status}")
                ended[task] = Exit(status, f"{file}: {status}")
        return ended
    except RecordError as damage:
        found.damaged(damage)
        return {}


def _trajectory(file: Path, found: Findings) -> Exit:
    data = found.source.json(file)
    if isinstance(data, list):
        return Exit("", str(file))  # the oldest form: messages alone
    info = as_fields(data, str(file)).fields("info")
    config = info.maybe_fields("config") or Fields({}, info.place)
    agent = config.maybe_fields("agent") or Fields({}, config.place)
    facts = trajectory_facts(info)
    _know(info, config, agent, found)
    return Exit(info.maybe_text("exit_status") or "", str(file), _limit(agent, info), facts)


def _limit(agent: Fields, info: Fields) -> Limit | None:
    """Return which of its limits an agent has reached, where exactly one of them can be."""
    stats = info.maybe_fields("model_stats") or Fields({}, info.place)
    used = {"turn": stats.maybe_amount("api_calls"), "cost": stats.maybe_amount("instance_cost")}
    given = {"turn": agent.maybe_amount("step_limit"), "cost": agent.maybe_amount("cost_limit")}
    reached = [kind for kind, most in given.items() if most and (used[kind] or 0) >= most]
    if info.value("exit_status") != "LimitsExceeded" or len(reached) != 1:
        return None
    return "turn" if reached == ["turn"] else "cost"


def _know(info: Fields, config: Fields, agent: Fields, found: Findings) -> None:
    found.knows("harness.solver", "mini-swe-agent")
    found.knows("packages.mini-swe-agent", info.maybe_text("mini_version"))
    for key in ("step_limit", "cost_limit"):
        found.knows(f"harness.with.{factor_key(key)}", agent.maybe_amount(key))
    model = config.maybe_fields("model")
    if model is not None:
        found.knows("model.base", model.maybe_text("model_name"))
