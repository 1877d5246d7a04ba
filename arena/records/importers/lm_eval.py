"""lm-eval: `results_*.json` with the `samples_TASK_*.jsonl` beside it; without samples there are no episodes."""

import re
from collections.abc import Sequence
from pathlib import Path

from arena.errors import RecordError
from arena.records.importers.imported import DEFAULTS, Imported, Options, Published
from arena.records.importers.reading import Fields, Source, entries
from arena.records.importers.rows import Findings, Planned, Trial, factor_key, from_reward, imported

NAME = "lm_eval"
LOOKS_FOR = "results_*.json with results and configs, or a folder that holds one"
SCORES = ("resolved/scored", "resolved/planned", "lm_eval_mean")

_SAMPLES = re.compile(r"samples_(?P<task>.+)_\d{4}-\d{2}-\d{2}T[\d.:-]+\.jsonl", re.DOTALL)


def recognises(path: Path) -> bool:
    if path.is_file():
        return _is_results(path)
    return any(_is_results(one) for one in entries(path))


def read(path: Path, options: Options = DEFAULTS) -> Imported:
    """Read the documents that were logged, task by task."""
    found = Findings(Source(path), options)
    files = [path] if path.is_file() else [one for one in entries(path) if _is_results(one)]
    if len(files) > 1:
        raise RecordError(
            f"{path}: {len(files)} results; import them one by one: {', '.join(one.name for one in files)}"
        )
    results = found.source.object(files[0])
    stamp = files[0].stem.removeprefix("results_")
    logged = {match["task"]: one for one in entries(files[0].parent) if (match := _samples(one, stamp))}
    sizes = results.maybe_fields("n-samples") or Fields({}, results.place)
    parts: list[tuple[Planned, Sequence[Trial]]] = []
    for task in results.fields("results").data:
        stated = results.fields("results").fields(task)
        if task not in logged:
            found.note(f"{task}: no documents were logged (--log_samples), so that it has no episodes")
            _publish_all(task, stated, found)
            continue
        parts.append(_documents(logged[task], task, stated, sizes, found))
    _know(results, found)
    return imported(NAME, found, parts, SCORES)


def _is_results(path: Path) -> bool:
    if not path.is_file() or path.suffix != ".json" or not path.name.startswith("results"):
        return False
    with path.open("rb") as file:
        head = file.read(1 << 20)
    return b'"results"' in head and (b"_stderr," in head or b'"configs"' in head or b'"versions"' in head)


def _samples(path: Path, stamp: str) -> "re.Match[str] | None":
    return _SAMPLES.fullmatch(path.name) if path.name.endswith(f"_{stamp}.jsonl") else None


def _documents(
    file: Path, task: str, stated: Fields, sizes: Fields, found: Findings
) -> tuple[Planned, Sequence[Trial]]:
    lines = list(found.source.lines(file))
    metric, by = _metric(file, [line for line in lines if isinstance(line, Fields)], stated, found)
    trials: list[Trial] = []
    lost = 0
    for line in lines:
        try:
            if isinstance(line, RecordError):
                raise line
            if by is None or line.maybe_text("filter") in (None, by):
                outcome = from_reward(line.maybe_number(metric), found.options, "completed")
                trials.append(Trial(line.name("doc_id"), outcome, line.place, replicate=1))
        except RecordError as damage:
            found.damaged(damage)
            lost += 1
    size = sizes.maybe_fields(task)
    effective = size.maybe_count("effective", 10**6) if size else None
    value = stated.maybe_number(f"{metric},{by or 'none'}")
    if value is not None:
        found.published.append(Published(found.suite(task), "lm_eval_mean", value, stated.place))
    unnamed = lost if effective is None else max(0, effective - len({trial.task for trial in trials}))
    head = f"evaluate.{factor_key(found.suite(task))}"
    found.knows(f"{head}.scorer", f"lm_eval:{metric},{by or 'none'}")
    return Planned(task, replicates=1, unnamed=unnamed), trials


def _metric(file: Path, lines: Sequence[Fields], stated: Fields, found: Findings) -> tuple[str, str | None]:
    """Return the metric and the filter that are the grade: those asked for, or the only ones that can be."""
    filters = sorted({str(line.value("filter")) for line in lines if line.value("filter") is not None})
    names = {key.partition(",")[0] for key in stated.data if "," in key and "_stderr" not in key}
    graded = sorted(name for name in names if lines and all(_is_share(line.value(name)) for line in lines))
    choices = [(name, one) for name in graded for one in filters or ["none"]]
    if found.options.scorer is not None:
        name, _, by = found.options.scorer.partition(",")
        choices = [one for one in choices if one[0] == name and (not by or one[1] == by)]
    if len(choices) != 1:
        listed = ", ".join(f"{name},{by}" for name, by in choices) or "none"
        raise RecordError(f"{file}: one metric is the grade, and it could be any of these; choose one: {listed}")
    return choices[0][0], choices[0][1] if filters else None


def _is_share(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and 0 <= value <= 1)


def _publish_all(task: str, stated: Fields, found: Findings) -> None:
    for key in stated.data:
        if "," in key and "_stderr" not in key and (value := stated.maybe_number(key)) is not None:
            found.published.append(Published(found.suite(task), key, value, stated.place))


def _know(results: Fields, found: Findings) -> None:
    config = results.maybe_fields("config") or Fields({}, results.place)
    found.knows("model.base", results.maybe_text("model_name"))
    found.knows("model.revision", config.maybe_text("model_sha"))
    found.knows("packages.transformers", results.maybe_text("transformers_version"))
    found.knows("served.chat_template_sha", results.maybe_text("chat_template_sha"))
    found.knows("served.dtype", config.maybe_text("model_dtype"))
