"""One sample of an Inspect log as a trial."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import RecordError
from arena.records.importers.reading import LARGEST_COUNT, is_text, shown
from arena.records.importers.rows import Findings, Outcome, Trial, from_reward, priced
from arena.records.logs import ERRORS, LIMITS
from arena.records.outcome import Execution, Limit
from arena.spec.factors import UNRECORDED

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSampleSummary
    from inspect_ai.scorer import Score


def sample_trial(
    path: Path, header: "EvalLog", sample: "EvalSampleSummary", place: tuple[int, int], found: Findings
) -> Trial:
    """Map a sample: an error or a limit says how it ended, its score what the grader said, each on its own."""
    where = f"{path}: sample {shown(sample.id)}, epoch {sample.epoch}"
    if not is_text(str(sample.id)) or int(sample.epoch) < 1:
        raise RecordError(f"{where}: not an id and an epoch")
    usage = list(sample.model_usage.values())
    costs = [one.total_cost for one in usage]
    total, working = _seconds(sample.total_time), _seconds(sample.working_time)
    facts = {
        "tokens_in": _total([one.input_tokens for one in usage]),
        "tokens_cached": _total([one.input_tokens_cache_read or 0 for one in usage]),
        "tokens_out": _total([one.output_tokens for one in usage]),
        "turns": _total([] if sample.turn_count is None else [sample.turn_count]),
        "working_s": working,
        "waiting_s": max(0.0, total - working) if total is not None and working is not None else None,
        "cost": priced(_seconds(sum(cost or 0.0 for cost in costs))) if costs and None not in costs else None,
        "started_at": str(sample.started_at) if sample.started_at else None,
        "sample_id": sample.uuid or "",
    }
    return Trial(str(sample.id), _outcome(where, header, sample, found), where, place[0], place[1], facts=facts)


def _outcome(where: str, header: "EvalLog", sample: "EvalSampleSummary", found: Findings) -> Outcome:
    execution, limit = _execution(sample)
    if header.invalidated:
        return Outcome(execution, limit, "unscored", "invalidated")
    score = _score(where, header, sample, found)
    if score is None:
        kind = _error_kind(sample.error) if sample.error is not None else "no_score"
        return Outcome(execution, limit, "unscored", kind)
    return _grade(where, score.value, execution, limit, found)


def _execution(sample: "EvalSampleSummary") -> tuple[Execution, Limit | None]:
    if sample.error is not None:
        return ERRORS.get(_error_kind(sample.error), "harness_error"), None
    if sample.limit is not None:
        return "limit", LIMITS.get(sample.limit, "operator")
    return ("completed" if sample.completed else "unrecorded"), None


def _error_kind(message: str) -> str:
    """Return the type of the exception whose text is `message`."""
    kind = message.split("(", 1)[0].split(":", 1)[0].strip().rsplit(".", 1)[-1]
    return kind if kind.isidentifier() else "error"


def _score(where: str, header: "EvalLog", sample: "EvalSampleSummary", found: Findings) -> "Score | None":
    """Return the score that is the grade: the one asked for, the log's headline, or the only one."""
    scores = sample.scores or {}
    asked = found.options.scorer
    if asked is not None:
        names = {*scores, *(one.name for one in (header.results.scores if header.results else ()))}
        if scores and asked not in names:
            raise RecordError(f"{where}: no score {asked!r}; there are {', '.join(sorted(names))}")
        return scores.get(asked)
    if len(scores) > 1:
        raise RecordError(f"{where}: {len(scores)} scores, one of which is the grade; choose one: {', '.join(scores)}")
    return next(iter(scores.values()), None)


def _grade(where: str, value: Any, execution: Execution, limit: Limit | None, found: Findings) -> Outcome:
    if value in ("C", "I", "N") and isinstance(value, str):
        reason = {"I": UNRECORDED, "N": "no_answer"}.get(value)
        return Outcome(execution, limit, "fail" if reason else "pass", reason)
    if value == "P":
        value = 0.5
    if isinstance(value, bool):
        value = float(value)
    if not isinstance(value, int | float) or math.isinf(value):
        found.damaged(f"{where}: its score is no grade: {shown(value)}")
        return Outcome(execution, limit, "unscored", "no_grade")
    if math.isnan(value):
        return Outcome(execution, limit, "unscored", "no_score")
    return from_reward(float(value), found.options, execution, limit)


def _seconds(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) and value >= 0 else None


def _total(counts: list[int]) -> int | None:
    """Add up counts; none where there is none, or one is no count."""
    return sum(counts) if counts and all(0 <= count <= LARGEST_COUNT for count in counts) else None
