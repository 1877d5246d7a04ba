"""Inspect's logs of any task, `.eval` or JSON: one file, or a folder of one evaluation's logs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import RecordError, boundary
from arena.records.importers.imported import DEFAULTS, Imported, Options, Published
from arena.records.importers.inspect_samples import sample_trial
from arena.records.importers.reading import LARGEST_FILE, Source, entries, parsed
from arena.records.importers.rows import MOST_REPLICATES, Findings, Planned, Trial, factor_key, imported
from arena.records.logs import CONTEXT_KEY

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSampleSummary

NAME = "inspect"
LOOKS_FOR = "an .eval file, a .json file with Inspect's eval and samples, or a folder of such files"
SCORES = ("resolved/scored", "resolved/planned", "inspect_accuracy")

_MOST_SAMPLES = 100_000


def recognises(path: Path) -> bool:
    if path.is_file():
        return path.suffix == ".eval" or _is_json_log(path)
    return any(True for _ in _logs(path))


def read(path: Path, options: Options = DEFAULTS) -> Imported:
    """Read a log, or a folder's logs: those of one task follow each other as replicates."""
    found = Findings(Source(path), options)
    logs = [_Log(file, found) for file in ([path] if path.is_file() else _logs(path))]
    by_task: dict[str, list[_Log]] = {}
    for log in sorted(_of_one_model(logs, found), key=lambda log: (log.header.eval.created, str(log.path))):
        by_task.setdefault(log.task, []).append(log)
    parts = [(_plan(task, of_task, found), _trials(of_task, found)) for task, of_task in by_task.items()]
    for of_task in by_task.values():
        if len(of_task) == 1:
            _publish(of_task[0], found)
        _know(of_task[0], found)
    return imported(NAME, found, parts, SCORES)


def _is_json_log(path: Path) -> bool:
    if path.suffix != ".json":
        return False
    with path.open("rb") as file:
        head = file.read(1 << 16)
    return b'"eval"' in head and b'"status"' in head and b'"task' in head


def _logs(folder: Path) -> Iterator[Path]:
    yield from (one for one in entries(folder) if one.is_file() and (one.suffix == ".eval" or _is_json_log(one)))


class _Log:
    """One log: its header and its samples' summaries, or their samples where an older log has no summaries."""

    def __init__(self, path: Path, found: Findings) -> None:
        self.path = path
        _check_file(path, found.source)
        with _readable(path):
            self.header, self.samples = _read(path)
        if CONTEXT_KEY in (self.header.eval.metadata or {}):
            raise RecordError(f"{path}: a log of arena's own; its run's folder can be read as it is")
        if self.header.invalidated:
            found.note(f"{path}: the log was invalidated by hand; none of its samples has a grade")

    @property
    def task(self) -> str:
        return self.header.eval.task

    @property
    def epochs(self) -> int:
        """Epochs that were planned, or as many as there are."""
        epochs = max([self.header.eval.config.epochs or 1, *(int(sample.epoch) for sample in self.samples)])
        if not 1 <= epochs <= MOST_REPLICATES:
            raise RecordError(f"{self.path}: {epochs} epochs; up to {MOST_REPLICATES} can be read")
        return epochs


def _check_file(path: Path, source: Source) -> None:
    """Refuse what is no plain file, what unpacks to more than can be read, and JSON that says a thing twice."""
    content = source.content(path)
    if path.suffix == ".json":
        try:
            parsed(content.decode("utf-8-sig"), str(path))
        except UnicodeDecodeError as damage:
            raise RecordError(f"{path}: not UTF-8 at byte {damage.start}; restore the file") from None
        return
    import zipfile

    with _readable(path), zipfile.ZipFile(path) as archive:
        names = [one.filename for one in archive.infolist()]
        largest = max((one.file_size for one in archive.infolist()), default=0)
    if len(set(names)) != len(names):
        raise RecordError(f"{path}: damaged: a part of the log stands in it twice")
    if largest > LARGEST_FILE:
        raise RecordError(f"{path}: a part of {largest} bytes; the largest that is read has {LARGEST_FILE}")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say in one line what Inspect found wrong with a log."""
    try:
        with boundary(RecordError, f"{path}: not a readable Inspect log"):
            yield
    except RecordError as damage:
        raise RecordError(" ".join(str(damage).split())[:500]) from damage.__cause__


def _read(path: Path) -> "tuple[EvalLog, list[EvalSampleSummary]]":
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

    if path.suffix == ".json":
        log = read_eval_log(str(path))
        return log, [sample.summary() for sample in log.samples or ()]
    header = read_eval_log(str(path), header_only=True)
    summaries = read_eval_log_sample_summaries(str(path))
    if len(summaries) > _MOST_SAMPLES:
        raise RecordError(f"{path}: {len(summaries)} samples; up to {_MOST_SAMPLES} can be read")
    if any(one.uuid is None for one in summaries):
        # Logs of before summaries had usage and errors: only the samples say them.
        whole = read_eval_log(str(path))
        summaries = [sample.summary() for sample in whole.samples or ()]
    return header, summaries


def _of_one_model(logs: Sequence[_Log], found: Findings) -> list[_Log]:
    models = sorted({log.header.eval.model for log in logs})
    only = found.options.only
    if only is not None and only not in models:
        raise RecordError(f"{found.source.root}: no logs of {only!r}; there are {', '.join(models)}")
    if only is None and len(models) > 1:
        raise RecordError(
            f"{found.source.root}: logs of {len(models)} models, and a cell has one; choose one: {', '.join(models)}"
        )
    return [log for log in logs if log.header.eval.model == (only or models[0])]


def _plan(task: str, logs: Sequence[_Log], found: Findings) -> Planned:
    """Return what was planned: the samples that a log's header names, each as often as it has epochs."""
    ids = dict.fromkeys(str(one) for log in logs for one in log.header.eval.dataset.sample_ids or ())
    for log in logs:
        results = log.header.results
        if results is not None and results.total_samples != len(log.samples):
            found.note(f"{log.path}: its results speak of {results.total_samples} samples, it holds {len(log.samples)}")
        if log.header.status != "success":
            found.note(f"{log.path}: its status is {log.header.status}; what it did not reach is not recorded")
    return Planned(task, tasks=tuple(ids), replicates=sum(_blocks(logs).values()))


def _blocks(logs: Sequence[_Log]) -> dict[str, int]:
    """Return how many replicates each evaluation has; logs with one `task_id` are tries at the same ones."""
    blocks: dict[str, int] = {}
    for log in logs:
        blocks[log.header.eval.task_id] = max(blocks.get(log.header.eval.task_id, 0), log.epochs)
    return blocks


def _trials(logs: Sequence[_Log], found: Findings) -> list[Trial]:
    blocks = _blocks(logs)
    before = {key: sum(list(blocks.values())[:index]) for index, key in enumerate(blocks)}
    trials: list[Trial] = []
    seen: set[str] = set()
    tries: dict[tuple[str, int], int] = {}
    for log in logs:
        for sample in log.samples:
            if sample.uuid is not None and sample.uuid in seen and len(logs) > 1:
                continue  # a later try takes over the samples that an earlier one finished
            seen.add(sample.uuid or "")
            place = str(sample.id), before[log.header.eval.task_id] + int(sample.epoch)
            tries[place] = tries.get(place, 0) + 1
            if len(logs) == 1 and tries[place] > 1:
                raise RecordError(f"{log.path}: sample {place[0]!r}, epoch {sample.epoch}, stands twice")
            trials.append(sample_trial(log.path, log.header, sample, (place[1], tries[place]), found))
    return trials


def _publish(log: _Log, found: Findings) -> None:
    results = log.header.results
    for score in results.scores if results else ():
        accuracy = score.metrics.get("accuracy")
        if accuracy is not None and len(results.scores if results else ()) == 1:
            suite = found.suite(log.task)
            found.published.append(Published(suite, "inspect_accuracy", float(accuracy.value), str(log.path)))


def _know(log: _Log, found: Findings) -> None:
    spec = log.header.eval
    found.knows("model.base", spec.model)
    found.knows("harness.solver", spec.solver)
    config: dict[str, Any] = spec.model_generate_config.model_dump(exclude_none=True)
    for key in ("temperature", "top_p", "max_tokens", "seed"):
        value = config.get(key)
        found.knows(f"generate.{key}", value if isinstance(value, int | float) else None)
    for key in ("message_limit", "token_limit", "turn_limit", "time_limit", "working_limit", "cost_limit"):
        value = getattr(spec.config, key, None)
        found.knows(f"harness.with.{key}", value if isinstance(value, int | float) else None)
    for name, version in spec.packages.items():
        found.knows(f"packages.{factor_key(name)}", version if isinstance(version, str) else None)
