"""SWE-bench: summaries, per-instance reports, predictions, and the folders of SWE-bench/experiments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import RecordError
from arena.records.importers import mini_swe_agent
from arena.records.importers.imported import DEFAULTS, Imported, Options, Published
from arena.records.importers.patches import Prediction, Verdict, has_patches, predictions, trial
from arena.records.importers.reading import Source, entries
from arena.records.importers.rows import Findings, Planned, imported
from arena.records.importers.swe_bench_regrade import graded_again
from arena.records.importers.swe_bench_reports import Summary, instance_verdicts, read_summary, summary_kind
from arena.spec.factors import UNRECORDED

NAME = "swe_bench"
LOOKS_FOR = (
    "MODEL.RUN.json with resolved_ids, results.json with resolved and no_generation, INSTANCE/report.json, "
    "logs/run_evaluation/RUN/MODEL below a folder, or predictions (all_preds.jsonl)"
)
SCORES = ("resolved/scored", "resolved/planned", "resolved/submitted")

_PREDICTIONS = ("all_preds.jsonl", "preds.jsonl", "preds.json", "predictions.jsonl", "predictions.json")
_SUITES = {"swe-bench_verified": "swe_bench_verified"}
"""The suites of the arena that are a data set of SWE-bench, by its name."""


@dataclass(frozen=True)
class _Records:
    """What belongs to one evaluation."""

    label: str
    summary: Path | None = None
    reports: Path | None = None
    """The folder with a folder for each instance."""


def recognises(path: Path) -> bool:
    if path.is_file():
        by_name = path.name in ("report.json", *_PREDICTIONS[:2])
        return by_name or summary_kind(path) is not None or (path.suffix == ".jsonl" and has_patches(path))
    return bool(_evaluations(path)) or (path / _PREDICTIONS[0]).is_file()


def read(path: Path, options: Options = DEFAULTS) -> Imported:
    """Read one evaluation: its verdicts, and the predictions and exits that lie with them."""
    found = Findings(Source(path), options)
    records = _chosen(path, found)
    summary = read_summary(records.summary, found) if records.summary else None
    verdicts = instance_verdicts(records.reports, found) if records.reports else {}
    if records.reports and options.rows:
        verdicts = _confirmed(verdicts, graded_again(records.reports, options.rows, found), found)
    handed_in, lost = _predictions(path, found)
    ended = mini_swe_agent.exits(path, found) if path.is_dir() else {}
    _check_model(handed_in, records, found)
    joined = _joined(summary, verdicts, found)
    tasks = _tasks(summary, joined, handed_in, found)
    if summary is not None and summary.total is None:
        joined = _unlisted(summary, tasks, handed_in) | joined
    trials = [trial(task, handed_in.get(task), ended.get(task), joined.get(task), found) for task in tasks]
    if not trials:
        raise RecordError(f"{path}: no instance of it can be read")
    suite = _suite(records.reports, found)
    if summary is not None and summary.total is not None:
        value = len(summary.resolved) / summary.total if summary.total else 0.0
        found.published.append(Published(found.suite(suite), "resolved/planned", value, str(records.summary)))
    unnamed = 0 if joined or found.options.tasks else lost
    return imported(NAME, found, [(Planned(suite, replicates=1, unnamed=unnamed), trials)], SCORES)


def _chosen(path: Path, found: Findings) -> _Records:
    there = _evaluations(path)
    only = found.options.only
    if only is not None:
        there = [one for one in there if one.label == only]
        if not there:
            labels = ", ".join(one.label for one in _evaluations(path)) or "none"
            raise RecordError(f"{path}: no evaluation {only!r}; there are {labels}")
    if len(there) > 1:
        raise RecordError(
            f"{path}: {len(there)} evaluations, and a cell has one; choose one: {', '.join(one.label for one in there)}"
        )
    return there[0] if there else _Records(path.name)


def _evaluations(path: Path) -> list[_Records]:
    """Return the evaluations at a path, a summary with the reports of its own run."""
    if path.is_file():
        if path.name == "report.json":
            return [_Records(path.parent.name, reports=path.parent)]
        if summary_kind(path) is None:
            return []
        own = [one for one in _run_folders(path.parent) if path.name == f"{one.name}.{one.parent.name}.json"]
        return [_Records(path.stem, path, own[0] if own else None)]
    summaries = {one.stem: one for one in entries(path) if one.suffix == ".json" and summary_kind(one) is not None}
    folders = {f"{one.name}.{one.parent.name}": one for one in _run_folders(path)}
    found = [_Records(label, summaries.get(label), folders.get(label)) for label in sorted(summaries | folders)]
    if not found and any(_reports(path / "logs")):
        results = path / "results" / "results.json"
        return [_Records(path.name, results if results.is_file() else None, path / "logs")]
    if not found and any(_reports(path)):
        return [_Records(f"{path.name}.{path.parent.name}", reports=path)]
    if not found and summary_kind(path / "results" / "results.json") is not None:
        return [_Records(path.name, path / "results" / "results.json")]
    return found


def _run_folders(path: Path) -> list[Path]:
    """Return the folders of a model's reports: below logs/run_evaluation/RUN, or below a run's own folder."""
    runs = entries(path / "logs" / "run_evaluation") or entries(path / "run_evaluation") or [path]
    return [model for run in runs for model in entries(run) if model.is_dir() and any(_reports(model))]


def _reports(path: Path) -> Iterator[Path]:
    yield from (one / "report.json" for one in entries(path) if (one / "report.json").is_file())


def _predictions(path: Path, found: Findings) -> tuple[dict[str, Prediction], int]:
    if path.is_file():
        graded = summary_kind(path) is not None or path.name == "report.json"
        return ({}, 0) if graded else predictions(path, found)
    file = next((path / name for name in _PREDICTIONS if (path / name).is_file()), None)
    return predictions(file, found) if file else ({}, 0)


def _check_model(handed_in: dict[str, Prediction], records: _Records, found: Findings) -> None:
    """Refuse predictions of several models, and drop those of another one than was graded."""
    models = sorted({one.model for one in handed_in.values() if one.model})
    if len(models) > 1:
        raise RecordError(f"{found.source.root}: predictions of {len(models)} models, and a cell has one")
    for model in models:
        own = model.replace("/", "__")
        graded = records.reports.name if records.reports and records.reports.name != "logs" else None
        if graded is not None and records.label.startswith(f"{graded}.") and graded != own:
            found.note(f"the predictions are of {model} and the reports of {graded}: the predictions are left out")
            handed_in.clear()
        else:
            found.knows("model.base", model)


def _joined(summary: Summary | None, reports: Mapping[str, Verdict], found: Findings) -> dict[str, Verdict]:
    """Put a summary's verdicts and the reports' together; where they contradict each other there is none."""
    joined = dict(summary.verdicts) if summary else {}
    for task, own in reports.items():
        other = joined.get(task)
        if summary is not None and summary.total is not None and other is None:
            found.damaged(f"{own.place}: an instance that {summary.place} does not count; it is left out")
            continue
        decided = ("resolved", "unresolved")
        if other is not None and own.said in decided and other.said in decided and own.said != other.said:
            found.damaged(f"{own.place}: {own.said}, and {other.place} has {other.said}")
            joined[task] = Verdict("contradictory", own.place)
        elif other is None or other.said == own.said or other.said not in ("infra", "error"):
            joined[task] = own
    return joined


def _confirmed(stored: dict[str, Verdict], again: Mapping[str, Verdict], found: Findings) -> dict[str, Verdict]:
    """Return the stored verdicts and, where there is none, those on the logs; two that differ are none."""
    for task, verdict in again.items():
        own = stored.get(task)
        if own is None or own.said == "error":
            stored[task] = verdict
        elif own.said != verdict.said:
            found.damaged(f"{own.place}: {own.said}, and its log graded again is {verdict.said}")
            stored[task] = Verdict("contradictory", own.place)
    return stored


def _tasks(
    summary: Summary | None, verdicts: Mapping[str, Verdict], handed_in: Mapping[str, Prediction], found: Findings
) -> Sequence[str]:
    """Return the instances of which something is known; refuse where only those that passed are named."""
    if summary is not None and summary.total is not None:
        return sorted(verdicts)
    planned = found.options.tasks
    named = verdicts.keys() | handed_in.keys() | set(planned or ())
    if summary is not None and not summary.names_failures and planned is None and not handed_in:
        raise RecordError(
            f"{summary.place}: names the instances that were resolved and not those that were tried; "
            "import it with its predictions (all_preds.jsonl), or name the planned tasks"
        )
    if planned is None:
        found.note("which instances were planned is not recorded: those with a prediction or a report are counted")
    return sorted(named)


def _unlisted(summary: Summary, tasks: Sequence[str], handed_in: Mapping[str, Prediction]) -> dict[str, Verdict]:
    """Return the verdicts that a summary of resolved instances leaves unsaid: with a patch and in no list, failed."""
    tried = [task for task in tasks if task not in summary.verdicts]
    if handed_in:
        tried = [task for task in tried if task in handed_in and not handed_in[task].empty]
    return {task: Verdict("unresolved", summary.place, UNRECORDED) for task in tried}


def _suite(reports: Path | None, found: Findings) -> str:
    """Return the suite by the data set that a run has recorded, as swebench 5 does."""
    record = reports.parent / "run.json" if reports else None
    if record is None or not record.is_file():
        return "swe_bench"
    try:
        dataset = found.source.object(record).maybe_text("dataset") or "swe_bench"
    except RecordError as damage:
        found.damaged(damage)
        return "swe_bench"
    own = dataset.rstrip("/").rsplit("/", maxsplit=1)[-1]
    return _SUITES.get(own.lower(), own)
