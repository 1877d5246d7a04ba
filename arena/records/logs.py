"""Episodes as Inspect's own logs have them: the source of truth, from which the episode table is made.

Only the header and the samples' summaries are read: everything that a row needs is put there when the log is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from arena.errors import RecordError
from arena.records.episode import Episode
from arena.records.outcome import Execution, Grade, Limit

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSampleSummary

CONTEXT_KEY = "arena"

LIMITS: Mapping[str, Limit] = {
    "message": "message",
    "token": "token",
    "turn": "turn",
    "context": "context",
    "time": "wall",
    "working": "working",
    "cost": "cost",
    "operator": "operator",
}

ERRORS: Mapping[str, Execution] = {
    "BudgetInterruptedError": "interrupted_budget",
    "CancelledError": "cancelled",
    "Cancelled": "cancelled",
    "SandboxError": "sandbox_error",
    "SandboxUnavailableError": "sandbox_error",
    "SandboxLost": "sandbox_error",
    "ServeError": "provider_error",
    "APIConnectionError": "provider_error",
    "ModelError": "provider_error",
}
"""By the type of the exception that ended a sample; any other one is the harness's."""


@dataclass(frozen=True, kw_only=True)
class LogContext:
    """What a log says of itself once for all of its episodes; kept in its header."""

    cell: str
    plan_digest: str
    suite: str
    sample_digest: str
    score_definition: str
    system_digest: str
    harness_digest: str
    weights_digest: str
    training_seed: int | None
    grader_version: str
    limits_kind: str


@dataclass(frozen=True)
class LoggedAttempt:
    """One log: one attempt at a replicate of a panel."""

    path: Path
    status: str
    """`started`, `success`, `cancelled` or `error`, as Inspect says it."""
    episodes: tuple[Episode, ...]
    errors: tuple[str, ...] = ()
    """What ended the episodes that an error ended, each message once."""
    error: str | None = None
    """What ended the attempt as a whole, if an error did."""


def read_attempt(path: Path, log_file: str) -> LoggedAttempt:
    """Return the episodes of one log; `log_file` is the name that their rows give it.

    Raises
    ------
    RecordError
        The file is truncated or damaged, or it is no log of the arena.
    """
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

    try:
        header = read_eval_log(path, header_only=True)
        summaries = read_eval_log_sample_summaries(path)
    except Exception as damage:
        raise RecordError(
            f"{path}: not a readable Inspect log ({type(damage).__name__}: {damage}); "
            "move it away and run the cell again: its episodes are then run anew"
        ) from damage
    context = _context(header, path)
    rows = [_episode(summary, context, log_file) for summary in summaries]
    errors = dict.fromkeys(summary.error for summary in summaries if summary.error is not None)
    return LoggedAttempt(
        path, header.status, tuple(rows), tuple(errors), header.error.message if header.error else None
    )


def _context(header: "EvalLog", path: Path) -> LogContext:
    data = (header.eval.metadata or {}).get(CONTEXT_KEY)
    if not isinstance(data, dict) or set(data) != {f.name for f in fields(LogContext)}:
        raise RecordError(f"{path}: no log of an arena run: its header has no complete `{CONTEXT_KEY}` entry")
    return LogContext(**data)


def _episode(summary: "EvalSampleSummary", context: LogContext, log_file: str) -> Episode:
    score = next(iter((summary.scores or {}).values()), None)
    said: Mapping[str, Any] = (score.metadata or {}) if score else {}
    execution, limit = _execution(summary)
    grade, reason = _grade(said, execution)
    usage = list(summary.model_usage.values())
    return Episode(
        cell=context.cell,
        plan_digest=context.plan_digest,
        suite=context.suite,
        sample_digest=context.sample_digest,
        task=str(summary.id),
        group=str(summary.metadata.get("group", "")),
        tier=str(summary.metadata.get("tier", "")),
        replicate=int(summary.metadata.get("replicate", 1)),
        attempt=int(summary.metadata.get("attempt", 1)),
        execution=execution,
        limit=limit,
        grade=grade,
        reason=reason,
        score_definition=context.score_definition,
        tokens_in=sum(u.input_tokens for u in usage) if usage else None,
        tokens_cached=sum(u.input_tokens_cache_read or 0 for u in usage) if usage else None,
        tokens_out=sum(u.output_tokens for u in usage) if usage else None,
        turns=said.get("turns"),
        working_s=summary.working_time,
        waiting_s=_waiting(summary),
        cost=None,
        delegations=int(said.get("delegations", 0)),
        parent_episode=summary.metadata.get("parent_episode"),
        started_at=summary.started_at,
        system_digest=context.system_digest,
        harness_digest=context.harness_digest,
        environment_digest=str(summary.metadata.get("environment_digest", "unrecorded")),
        weights_digest=context.weights_digest,
        patch_digest=said.get("patch_digest"),
        training_seed=context.training_seed,
        limits_kind=str(said.get("limits_kind", context.limits_kind)),
        grader_version=str(said.get("grader_version", context.grader_version)),
        log_file=log_file,
        sample_id=summary.uuid or "",
    )


def _execution(summary: "EvalSampleSummary") -> tuple[Execution, Limit | None]:
    if summary.error is not None:
        kind = summary.error.split("(", 1)[0].split(":", 1)[0].strip().rsplit(".", 1)[-1]
        return ERRORS.get(kind, "harness_error"), None
    if summary.limit is not None:
        return "limit", LIMITS.get(summary.limit, "operator")
    return "completed", None


def _grade(said: Mapping[str, Any], execution: Execution) -> tuple[Grade, str | None]:
    grade = said.get("grade")
    if grade not in ("pass", "fail", "unscored"):
        return "unscored", execution if execution not in ("completed", "limit") else "no_grade"
    return cast(Grade, grade), None if grade == "pass" else str(said.get("reason") or "unknown")


def _waiting(summary: "EvalSampleSummary") -> float | None:
    if summary.total_time is None or summary.working_time is None:
        return None
    return max(0.0, summary.total_time - summary.working_time)
