"""Terminal-Bench 1: a run's `results.json` and `run_metadata.json`, or the `results.json` of each trial."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.errors import RecordError
from arena.records.importers.imported import DEFAULTS, Imported, Options, Published
from arena.records.importers.reading import Fields, Source, entries, is_text
from arena.records.importers.rows import MOST_REPLICATES, Findings, Outcome, Planned, Trial, imported
from arena.records.outcome import Execution, Limit
from arena.spec.factors import UNRECORDED

NAME = "terminal_bench_1"
LOOKS_FOR = "a folder with results.json that has is_resolved, or with TASK/TRIAL/results.json below it"
SCORES = ("resolved/scored", "resolved/planned", "tb1_accuracy")

_TRIAL = re.compile(r".*\.(?P<number>[1-9]\d{0,3})-of-(?P<of>[1-9]\d{0,3})\.(?P<agent>.+)", re.DOTALL)

EXECUTIONS: dict[str, tuple[Execution, Limit | None]] = {
    "none": ("completed", None),
    "unset": ("completed", None),
    "agent_timeout": ("limit", "wall"),
    "context_length_exceeded": ("limit", "context"),
    "output_length_exceeded": ("limit", "token"),
    "test_timeout": ("completed", None),
    "parse_error": ("completed", None),
    "agent_installation_failed": ("sandbox_error", None),
    "unknown_agent_error": ("harness_error", None),
    "fatal_llm_parse_error": ("harness_error", None),
    "unknown": ("unrecorded", None),
}
"""How a trial ended, by its `failure_mode`; any other one is the harness's error."""


def recognises(path: Path) -> bool:
    if path.is_file():
        return path.name == "results.json" and b'"is_resolved"' in _head(path)
    if (path / "results.json").is_file():
        return b'"is_resolved"' in _head(path / "results.json") or (path / "run_metadata.json").is_file()
    return any(True for _ in _trial_files(path))


def read(path: Path, options: Options = DEFAULTS) -> Imported:
    """Read a run, or the trials of one."""
    found = Findings(Source(path), options)
    folder = found.source.folder
    metadata = _metadata(folder / "run_metadata.json", found)
    whole = path if path.is_file() else folder / "results.json"
    stated = found.source.object(whole) if whole.is_file() else Fields({}, str(whole))
    lost = 0
    if not whole.is_file():
        trials = [_of_file(file, found) for file in _trial_files(folder)]
    elif "is_resolved" in stated.data:
        trials = [_trial(stated, found)]
    else:
        trials, lost = _of_run(stated, found)
    named = (metadata.maybe_text("dataset_name"), metadata.maybe_text("dataset_version"))
    plan = Planned(
        "-".join(part for part in named if part) or "terminal_bench_1",
        tasks=metadata.maybe_ids("task_ids") or (),
        replicates=metadata.maybe_count("n_attempts", MOST_REPLICATES) or _attempts(trials),
        unnamed=lost,
    )
    found.knows("model.base", metadata.maybe_text("model_name"))
    found.knows("harness.solver", metadata.maybe_text("agent_name") or _agent_of(trials))
    accuracy = stated.maybe_number("accuracy")
    if accuracy is not None:
        found.published.append(Published(found.suite(plan.suite), "tb1_accuracy", accuracy, stated.place))
    return imported(NAME, found, [(plan, trials)], SCORES)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(1 << 20)


def _trial_files(path: Path) -> Iterator[Path]:
    """Give the results of trials that lie as TASK/TRIAL/results.json below a folder."""
    for task in entries(path):
        for trial in entries(task) if task.is_dir() else ():
            if (file := trial / "results.json").is_file() and _TRIAL.fullmatch(trial.name):
                yield file


def _metadata(path: Path, found: Findings) -> Fields:
    return found.source.object(path) if path.is_file() else Fields({}, str(path))


def _of_run(run: Fields, found: Findings) -> tuple[list[Trial], int]:
    """Return a run's trials, and how many of them could not be read."""
    trials: list[Trial] = []
    listed = run.list_of_fields("results")
    for one in listed:
        try:
            trials.append(_trial(one, found))
        except RecordError as damage:
            found.damaged(damage)
    if not listed:
        raise RecordError(f"{run.place}: results: expected a list of trials, got nothing")
    return trials, len(listed) - len(trials)


def _of_file(file: Path, found: Findings) -> Trial:
    """Read one trial; a damaged one keeps its place by the names of its folders, without a grade."""
    try:
        return _trial(found.source.object(file), found)
    except RecordError as damage:
        found.damaged(damage)
        name, task = file.parent.name, file.parent.parent.name
        return Trial(task, Outcome(reason="unreadable"), str(file), _number(name), facts={"sample_id": name})


def _trial(result: Fields, found: Findings) -> Trial:
    name = result.maybe_text("trial_name") or ""
    return Trial(
        task=result.text("task_id"),
        outcome=_outcome(result, found),
        place=result.place,
        replicate=_number(name),
        order=name,
        facts={
            "tokens_in": result.maybe_count("total_input_tokens") or None,
            "tokens_out": result.maybe_count("total_output_tokens") or None,
            "working_s": result.seconds("agent_started_at", "agent_ended_at"),
            "started_at": result.maybe_time("trial_started_at"),
            "sample_id": name,
        },
    )


def _outcome(result: Fields, found: Findings) -> Outcome:
    """Map a trial: its verdict is kept however it ended, and a verdict of null is none."""
    mode = result.maybe_text("failure_mode") or "unset"
    execution, limit = EXECUTIONS.get(mode, ("harness_error", None))
    resolved = result.maybe_flag("is_resolved")
    if resolved is None:
        return Outcome(execution, limit, "unscored", mode if mode not in ("unset", "none") else "no_grade")
    if not _agrees(result, resolved):
        found.damaged(f"{result.place}: is_resolved is {str(resolved).lower()}, and its parser_results say otherwise")
        return Outcome(execution, limit, "unscored", "contradictory")
    return Outcome(execution, limit, "pass") if resolved else Outcome(execution, limit, "fail", _why(result))


def _agrees(result: Fields, resolved: bool) -> bool:
    """Whether a verdict is what the tests say: resolved if and only if all of them passed."""
    tests = result.maybe_fields("parser_results")
    if tests is None or not tests.data:
        return True
    if not all(is_text(word) for word in tests.data.values()):
        return False
    return resolved == all(word == "passed" for word in tests.data.values())


def _why(result: Fields) -> str:
    return "tests_failed" if result.value("parser_results") else UNRECORDED


def _number(name: str) -> int | None:
    found = _TRIAL.fullmatch(name)
    return int(found["number"]) if found and int(found["number"]) <= MOST_REPLICATES else None


def _attempts(trials: Sequence[Trial]) -> int | None:
    """Return of how many attempts the trials' names say that they are."""
    names = (_TRIAL.fullmatch(str(trial.facts["sample_id"])) for trial in trials)
    said = [int(one["of"]) for one in names if one]
    return min(max(said), MOST_REPLICATES) if said else None


def _agent_of(trials: Sequence[Trial]) -> str | None:
    names = {one["agent"] for trial in trials if (one := _TRIAL.fullmatch(str(trial.facts["sample_id"])))}
    return names.pop() if len(names) == 1 else None
