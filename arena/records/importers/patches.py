"""One SWE-bench instance: what the agent handed in, how it ended, and what the grader said, put together."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from arena.errors import RecordError
from arena.records.importers.reading import Fields, Source, as_fields
from arena.records.importers.rows import Findings, Outcome, Trial, priced
from arena.records.outcome import Execution, Limit

EMPTY = "empty_patch"
EXIT_UNRECORDED = "empty_patch_exit_unrecorded"

Said = Literal["resolved", "unresolved", "infra", "error", "empty", "incomplete", "contradictory"]


@dataclass(frozen=True)
class Prediction:
    """What an agent handed in."""

    patch: str | None
    model: str | None
    place: str

    @property
    def empty(self) -> bool:
        return not (self.patch or "").strip()


@dataclass(frozen=True)
class Exit:
    """How an agent ended, in mini-swe-agent's words."""

    status: str
    place: str
    limit: Limit | None = None
    """Which limit it was, where its record lets one tell."""
    facts: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Verdict:
    """What the grader said."""

    said: Said
    place: str
    reason: str | None = None


BY_ITSELF = frozenset({"Submitted", "RepeatedFormatError"})
LIMITS: dict[str, Limit | None] = {"LimitsExceeded": None, "TimeExceeded": "wall"}
EXCEPTIONS: dict[str, Execution] = {
    "UserInterruption": "cancelled",
    "KeyboardInterrupt": "cancelled",
    "CalledProcessError": "sandbox_error",
    "TimeoutExpired": "sandbox_error",
    "DockerException": "sandbox_error",
    "APIConnectionError": "provider_error",
    "APIError": "provider_error",
    "AuthenticationError": "provider_error",
    "BadRequestError": "provider_error",
    "ContextWindowExceededError": "provider_error",
    "InternalServerError": "provider_error",
    "RateLimitError": "provider_error",
    "ServiceUnavailableError": "provider_error",
    "Timeout": "provider_error",
}
"""By the exception that an agent ended with; any other one is the harness's."""


def has_patches(path: Path) -> bool:
    """Whether a file looks like predictions."""
    if path.suffix not in (".json", ".jsonl"):
        return False
    with path.open("rb") as file:
        return b'"model_patch"' in file.read(1 << 20)


def predictions(path: Path, found: Findings) -> tuple[dict[str, Prediction], int]:
    """Read predictions: `.jsonl`, a list, or an object by instance; also return how many could not be read."""
    read: dict[str, Prediction] = {}
    lost = 0
    for key, one in _rows(path, found.source):
        try:
            if isinstance(one, RecordError):
                raise one
            task = one.text("instance_id") if key is None or "instance_id" in one.data else key
            if key not in (None, task):
                raise RecordError(f"{one.place}: instance_id {task!r} under the key {key!r}")
            if "model_patch" not in one.data:
                raise one.wrong("model_patch", "a patch or null")
            model, patch = one.maybe_text("model_name_or_path"), one.maybe_text("model_patch")
        except RecordError as damage:
            found.damaged(damage)
            lost += 1
            continue
        if task in read:
            raise RecordError(f"{one.place}: a second prediction for {task!r}")
        read[task] = Prediction(patch, model, one.place)
    return read, lost


def _rows(path: Path, source: Source) -> "Iterator[tuple[str | None, Fields | RecordError]]":
    if path.suffix == ".jsonl":
        for line in source.lines(path):
            yield None, line
        return
    data = source.json(path)
    pairs = enumerate(data) if isinstance(data, list) else as_fields(data, str(path)).data.items()
    for key, one in pairs:
        try:
            yield key if isinstance(key, str) else None, as_fields(one, f"{path}: {key}")
        except RecordError as damage:
            yield None, damage


def trial(
    task: str, prediction: Prediction | None, ended: Exit | None, verdict: Verdict | None, found: Findings
) -> Trial:
    """Put together what is known of one instance."""
    facts: dict[str, Any] = {"group": _repository(task)}
    if prediction is not None and not prediction.empty:
        facts["patch_digest"] = f"sha256:{hashlib.sha256((prediction.patch or '').encode()).hexdigest()}"
    facts |= (ended.facts if ended else None) or {}
    place = next((one.place for one in (verdict, prediction, ended) if one is not None), task)
    return Trial(task, _outcome(prediction, ended, verdict, found), place, facts=facts)


def _outcome(prediction: Prediction | None, ended: Exit | None, verdict: Verdict | None, found: Findings) -> Outcome:
    execution, limit = _execution(ended)
    said = verdict.said if verdict else None
    if verdict is not None and said == "resolved" and prediction is not None and prediction.empty:
        found.damaged(f"{verdict.place}: resolved, and {prediction.place} has an empty patch")
        said = "contradictory"
    if verdict is not None and said == "resolved":
        return Outcome(execution, limit, "pass")
    if verdict is not None and said == "unresolved":
        return Outcome(execution, limit, "fail", verdict.reason)
    if said == "incomplete" and ended is None and prediction is None:
        return Outcome("pending", reason="no_prediction")
    if said == "empty" or (said is None and prediction is not None and prediction.empty):
        return _empty(ended)
    if verdict is not None:
        return Outcome(execution, limit, "unscored", verdict.reason or _UNSCORED.get(said or "", "not_graded"))
    if ended is not None and _raised(ended):
        return Outcome(execution, limit, "unscored", ended.status)
    return Outcome(execution, limit, "unscored", "not_graded")


_UNSCORED = {"infra": "infra", "error": "grader_error", "incomplete": "no_prediction", "contradictory": "contradictory"}


def _empty(ended: Exit | None) -> Outcome:
    """Grade an empty patch: the agent failed if it ended by itself or by a limit, and else nobody knows."""
    execution, limit = _execution(ended)
    if ended is None or not ended.status:
        return Outcome(execution, limit, "unscored", EXIT_UNRECORDED)
    if _raised(ended):
        return Outcome(execution, limit, "unscored", ended.status)
    return Outcome(execution, limit, "fail", EMPTY)


def _raised(ended: Exit) -> bool:
    return bool(ended.status) and ended.status not in BY_ITSELF and ended.status not in LIMITS


def _execution(ended: Exit | None) -> tuple[Execution, Limit | None]:
    if ended is None or not ended.status:
        return "unrecorded", None
    if ended.status in BY_ITSELF:
        return "completed", None
    if ended.status in LIMITS:
        return "limit", ended.limit or LIMITS[ended.status]
    return EXCEPTIONS.get(ended.status, "harness_error"), None


def _repository(task: str) -> str:
    """Return the repository that an instance's id names: `django__django-10914` is of `django/django`."""
    return task.rsplit("-", maxsplit=1)[0].replace("__", "/")


def trajectory_facts(info: Fields) -> dict[str, Any]:
    """Return what a trajectory says of an episode's costs."""
    stats = info.maybe_fields("model_stats") or Fields({}, info.place)
    return {"cost": priced(stats.maybe_amount("instance_cost")), "turns": stats.maybe_count("api_calls") or None}
