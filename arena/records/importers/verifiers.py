"""verifiers: `results.jsonl` with `metadata.json` (legacy), and `traces.jsonl` (version 1)."""

from collections.abc import Sequence
from pathlib import Path

from arena.errors import RecordError
from arena.records.importers.imported import DEFAULTS, Imported, Options, Published
from arena.records.importers.reading import Fields, Source
from arena.records.importers.rows import (
    MOST_REPLICATES,
    REWARD,
    Findings,
    Outcome,
    Planned,
    Trial,
    from_reward,
    imported,
)
from arena.records.importers.verifiers_traces import rollouts
from arena.records.outcome import Execution
from arena.spec.factors import UNRECORDED

NAME = "verifiers"
LOOKS_FOR = "a folder with results.jsonl and metadata.json, or traces.jsonl"
SCORES = (REWARD, "resolved/planned", "verifiers_all", "verifiers_effective")

LEGACY = "results.jsonl"
TRACES = "traces.jsonl"


def recognises(path: Path) -> bool:
    folder = path if path.is_dir() else path.parent
    if path.is_file() and path.name not in (LEGACY, TRACES):
        return False
    return (folder / TRACES).is_file() or ((folder / LEGACY).is_file() and (folder / "metadata.json").is_file())


def read(path: Path, options: Options = DEFAULTS) -> Imported:
    """Read an evaluation's rollouts."""
    found = Findings(Source(path), options)
    folder = found.source.folder
    if path.name == TRACES or (path.is_dir() and (folder / TRACES).is_file()):
        return imported(NAME, found, rollouts(folder / TRACES, found), SCORES)
    return imported(NAME, found, [_legacy(folder, found)], SCORES)


def _legacy(folder: Path, found: Findings) -> tuple[Planned, Sequence[Trial]]:
    metadata = found.source.object(folder / "metadata.json")
    trials: list[Trial] = []
    lost = 0
    for line in found.source.lines(folder / LEGACY):
        try:
            trials.append(_rollout(line, found))
        except RecordError as damage:
            found.damaged(damage)
            lost += 1
    examples, each = (
        metadata.maybe_count("num_examples", 10**6) if metadata.value("num_examples") != -1 else None,
        metadata.maybe_count("rollouts_per_example", MOST_REPLICATES),
    )
    tasks = {trial.task for trial in trials}
    unnamed = lost
    if examples is not None and each is not None:
        # Rollouts of examples that are seen are owed by their number; those of unseen examples have no name.
        unnamed = max(0, examples - len(tasks)) * each
        if len(tasks) > examples:
            found.note(f"{metadata.place} speaks of {examples} examples, and there are {len(tasks)}")
    suite = metadata.maybe_text("env") or metadata.maybe_text("env_id") or NAME
    found.knows("model.base", metadata.maybe_text("model"))
    arguments = metadata.maybe_fields("sampling_args") or metadata
    for key in ("temperature", "max_tokens", "top_p"):
        found.knows(f"generate.{key}", arguments.maybe_amount(key))
    average = metadata.maybe_number("avg_reward")
    if average is not None:
        found.published.append(Published(found.suite(suite), "verifiers_all", average, metadata.place))
    return Planned(suite, (), each, unnamed, REWARD), trials


def _execution(line: Fields) -> Execution:
    """Say how a rollout ended; older rows do not."""
    if line.maybe_flag("is_truncated"):
        return "limit"
    return "completed" if line.maybe_flag("is_completed") or "is_truncated" in line.data else "unrecorded"


def _rollout(line: Fields | RecordError, found: Findings) -> Trial:
    if isinstance(line, RecordError):
        raise line
    key = "example_id" if "example_id" in line.data else "id"
    error = line.value("error")
    if error is not None:
        kind = error.split("(")[0].strip() if isinstance(error, str) and error else "error"
        outcome = Outcome("harness_error", None, "unscored", kind[:80] if kind.isidentifier() else "error")
    else:
        outcome = from_reward(line.maybe_number("reward"), found.options, _execution(line), failed=UNRECORDED)
    usage = line.maybe_fields("token_usage") or Fields({}, line.place)
    tokens = {f"tokens_{way}": usage.maybe_amount(f"{way}put_tokens") for way in ("in", "out")}
    return Trial(
        task=line.name(key),
        outcome=outcome,
        place=line.place,
        facts={name: None if count is None else int(count) for name, count in tokens.items()},
    )
