"""SWE-bench's grading of the patch that an agent's work comes to, run by tests in a fresh sandbox.

Each outcome is a grade and a reason:

    pass
    fail      tests_failed · empty_patch · patch_does_not_apply · tests_did_not_run
    unscored  environment · sandbox_error · grader_error

Tests that did not run are the patch's fault only where the gold patch, at once after and in the same environment, is
found resolved; where it is not, the episode is unscored by reason of its environment.
"""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from arena.errors import ArenaError, SandboxError, ScoreError
from arena.execute.tool_output import cut_middle
from arena.spec.invalid import did_you_mean
from arena.suites.environment import EnvironmentSpec
from scorers.evaluation import EVALUATION_S, ApplyError, Evaluated, run_tests
from scorers.processes import RunningError
from scorers.verdict import Verdict, grader_version, judge
from scorers.worktree import PatchError, checkout, take_patch

if TYPE_CHECKING:
    import inspect_ai.scorer
    from inspect_ai.scorer import Score, Target
    from inspect_ai.solver import TaskState
    from inspect_ai.util import SandboxEnvironment

SCORE_DEFINITION = "resolved/scored"
PATCH_CHARS = 1_000_000
LOG_CHARS = 200_000

Open = Callable[[], AbstractAsyncContextManager["SandboxEnvironment"]]
"""Opens a fresh sandbox of the grading environment."""


class Options(BaseModel):
    """What may be said of the scorer."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)

    timeout_s: int = Field(EVALUATION_S, gt=0)
    """How long the tests may run."""


@dataclass(frozen=True)
class Outcome:
    """What is known of one episode after its grading."""

    grade: Literal["pass", "fail", "unscored"]
    reason: str | None = None
    detail: str = ""
    patch: bytes | None = None
    run: Evaluated | None = None
    verdict: Verdict | None = None
    limits_kind: str = "unrecorded"


def scorer(**parameters: object) -> "inspect_ai.scorer.Scorer":
    """Return the scorer; raises `ScoreError` for a parameter that is unknown or out of its range."""
    from inspect_ai.scorer import mean
    from inspect_ai.scorer import scorer as inspect_scorer
    from inspect_ai.util import sandbox

    options = _options(parameters)

    @inspect_scorer(metrics=[mean()], name="swe_bench")
    def outer() -> "inspect_ai.scorer.Scorer":
        async def score(state: "TaskState", target: "Target") -> "Score":
            from arena.execute.sandboxes.open import open_sandbox

            said = state.metadata
            environment: Any = TypeAdapter(EnvironmentSpec).validate_python(said["grading_environment"])
            outcome = await grade(
                sandbox(),
                str(said["task_folder"]),
                said["grading"],
                lambda: open_sandbox(environment),
                options.timeout_s,
            )
            return to_score(outcome)

        return score

    return outer()


def _options(parameters: Mapping[str, object]) -> Options:
    try:
        return Options.model_validate(parameters)
    except ValidationError as cause:
        first = cause.errors()[0]
        key = str(first["loc"][0])
        if key not in Options.model_fields:
            raise ScoreError(
                f"scorers.swe_bench: {key!r} is no parameter{did_you_mean(key, Options.model_fields)}"
            ) from cause
        raise ScoreError(f"scorers.swe_bench: {key}: {first['msg']}, got {first['input']!r}") from cause


async def grade(
    agents: "SandboxEnvironment", folder: str, row: Mapping[str, Any], fresh: Open, timeout_s: int = EVALUATION_S
) -> Outcome:
    """Grade what the agent left in `folder` of its sandbox; whatever goes wrong on our side is an unscored outcome."""
    from inspect_ai.util import SandboxUnavailableError

    try:
        return await _grade(agents, folder, row, fresh, timeout_s)
    except (SandboxError, SandboxUnavailableError) as lost:
        return Outcome("unscored", "sandbox_error", str(lost))
    except ArenaError as wrong:
        return Outcome("unscored", "grader_error", str(wrong))
    except (OSError, ValueError, RuntimeError, LookupError) as wrong:
        return Outcome("unscored", "grader_error", f"{type(wrong).__name__}: {wrong}")


async def _grade(
    agents: "SandboxEnvironment", folder: str, row: Mapping[str, Any], fresh: Open, timeout_s: int
) -> Outcome:
    async with fresh() as clean:
        known = Outcome("unscored", limits_kind=str(getattr(clean, "limits_kind", "docker")))
        try:
            patch = await take_patch(agents, folder, await checkout(clean, folder), fresh)
        except (PatchError, RunningError) as unreadable:
            return replace(known, grade="fail", reason="patch_does_not_apply", detail=str(unreadable))
        known = replace(known, patch=patch)
        if not patch.strip():
            return replace(known, grade="fail", reason="empty_patch")
        outcome = await evaluate(clean, folder, row, patch, timeout_s)
    outcome = replace(outcome, limits_kind=known.limits_kind)
    return await with_gold(outcome, folder, row, fresh, timeout_s)


async def with_gold(
    outcome: Outcome, folder: str, row: Mapping[str, Any], fresh: Open, timeout_s: int = EVALUATION_S
) -> Outcome:
    """Return the outcome, which is unscored where tests did not run and do not run with the gold patch either."""
    if outcome.reason != "tests_did_not_run":
        return outcome
    async with fresh() as clean:
        gold = await evaluate(clean, folder, row, str(row["patch"]).encode(), timeout_s)
    if gold.grade == "pass":
        return outcome
    return replace(outcome, grade="unscored", reason="environment", detail=f"the gold patch fails too: {gold.reason}")


async def evaluate(
    clean: "SandboxEnvironment", folder: str, row: Mapping[str, Any], patch: bytes, timeout_s: int = EVALUATION_S
) -> Outcome:
    """Grade a patch in a fresh sandbox of its own."""
    import anyio.to_thread

    try:
        run = await run_tests(clean, folder, patch, str(row["eval_script"]), timeout_s)
    except ApplyError as refused:
        return Outcome("fail", "patch_does_not_apply", str(refused), patch)
    verdict = await anyio.to_thread.run_sync(judge, row, run)
    if verdict.finding == "resolved":
        return Outcome("pass", None, verdict.detail, patch, run, verdict)
    return Outcome("fail", verdict.finding, verdict.detail, patch, run, verdict)


def to_score(outcome: Outcome) -> "Score":
    """Return the outcome as Inspect keeps it: `C`, `I` or NaN, and all that is known beside it."""
    from inspect_ai.scorer import Score

    value: str | float = {"pass": "C", "fail": "I"}.get(outcome.grade, float("nan"))
    return Score(
        value=value,
        explanation=": ".join(part for part in (outcome.reason, outcome.detail) if part) or None,
        reason=outcome.reason if outcome.grade == "unscored" else None,
        metadata={
            "grade": outcome.grade,
            "reason": outcome.reason,
            "detail": outcome.detail,
            **_patch_record(outcome.patch),
            "grader_version": grader_version(),
            "score_definition": SCORE_DEFINITION,
            "report": dict(outcome.verdict.counts) if outcome.verdict else None,
            "exit_code": outcome.run.exit_code if outcome.run else None,
            "left_out": dict(outcome.run.undone) if outcome.run else {},
            "limits_kind": outcome.limits_kind,
            "log": cut_middle(outcome.run.tests, LOG_CHARS) if outcome.run else None,
            "log_around": cut_middle(outcome.run.around, LOG_CHARS) if outcome.run else None,
        },
    )


def _patch_record(patch: bytes | None) -> dict[str, object]:
    if patch is None:
        return {"model_patch": None, "patch_digest": None}
    return {
        "model_patch": cut_middle(patch.decode(errors="replace"), PATCH_CHARS),
        "patch_digest": f"sha256:{hashlib.sha256(patch).hexdigest()}",
    }
