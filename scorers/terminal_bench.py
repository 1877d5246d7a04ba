"""Terminal-Bench 2's grading: the task's own test.sh, run after the agent in the state that it left.

Each outcome is a grade and a reason:

    pass      the reward is 1
    fail      tests_failed · tests_did_not_run
    unscored  verifier_timeout · reward_unreadable · environment · sandbox_error · grader_error

A verifier that writes no reward, or cannot be started, is the agent's fault only where the task's own solution, at once
after and in a fresh sandbox, is rewarded with 1; where it is not, the episode is unscored by reason of its environment.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from arena.errors import ArenaError, SandboxError, ScoreError
from arena.execute.tool_output import cut_middle
from arena.spec.invalid import did_you_mean
from arena.suites.environment import EnvironmentSpec
from arena.suites.terminal_task import files_from_json
from scorers.processes import RunningError
from scorers.terminal_reward import RewardError, reward_of
from scorers.terminal_verifier import NotRunError, Verified, Verifier, settle, verify

if TYPE_CHECKING:
    import inspect_ai.scorer
    from inspect_ai.scorer import Score, Target
    from inspect_ai.solver import TaskState
    from inspect_ai.util import SandboxEnvironment

SCORE_DEFINITION = "reward_1/scored"
GRADER_VERSION = "terminal_bench 1"
LOG_CHARS = 200_000

Open = Callable[[], AbstractAsyncContextManager["SandboxEnvironment"]]
"""Opens a fresh sandbox of the grading environment."""


class Options(BaseModel):
    """What may be said of the scorer."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)

    timeout_s: int | None = Field(None, gt=0)
    """How long test.sh may run; none for what the task says."""


@dataclass(frozen=True)
class Outcome:
    """What is known of one episode after its grading."""

    grade: Literal["pass", "fail", "unscored"]
    reason: str | None = None
    detail: str = ""
    reward: float | None = None
    run: Verified | None = None
    state: str | None = None
    """Digest of the task's folder as the agent left it."""
    limits_kind: str = "unrecorded"


def scorer(**parameters: object) -> "inspect_ai.scorer.Scorer":
    """Return the scorer; raises `ScoreError` for a parameter that is unknown or out of its range."""
    from inspect_ai.scorer import mean
    from inspect_ai.scorer import scorer as inspect_scorer
    from inspect_ai.util import sandbox

    options = _options(parameters)

    @inspect_scorer(metrics=[mean()], name="terminal_bench")
    def outer() -> "inspect_ai.scorer.Scorer":
        async def score(state: "TaskState", target: "Target") -> "Score":
            from arena.execute.sandboxes.open import open_sandbox

            said = state.metadata
            environment: Any = TypeAdapter(EnvironmentSpec).validate_python(said["grading_environment"])
            outcome = await grade(
                sandbox(),
                str(said["task_folder"]),
                verifier_of(said["grading"], options.timeout_s),
                said.get("solution"),
                lambda: open_sandbox(environment),
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
                f"scorers.terminal_bench: {key!r} is no parameter{did_you_mean(key, Options.model_fields)}"
            ) from cause
        raise ScoreError(f"scorers.terminal_bench: {key}: {first['msg']}, got {first['input']!r}") from cause


def verifier_of(grading: Mapping[str, Any], timeout_s: float | None = None) -> Verifier:
    """Return what is to be run, from what a suite gives its scorer."""
    return Verifier(
        tests=files_from_json(grading["tests"]),
        timeout_s=timeout_s or float(grading["verifier_timeout_s"]),
        env=grading["verifier_env"],
    )


async def grade(
    agents: "SandboxEnvironment", folder: str, verifier: Verifier, solution: str | None, fresh: Open
) -> Outcome:
    """Grade what the agent left in its sandbox; whatever goes wrong on our side is an unscored outcome."""
    from inspect_ai.util import SandboxEnvironment, SandboxUnavailableError

    inner = agents.as_type(SandboxEnvironment)  # type: ignore[type-abstract]
    known = Outcome("unscored", limits_kind=str(getattr(inner, "limits_kind", "docker")))
    try:
        return await _grade(agents, folder, verifier, solution, fresh, known)
    except (SandboxError, SandboxUnavailableError) as lost:
        return replace(known, reason="sandbox_error", detail=str(lost))
    except ArenaError as wrong:
        return replace(known, reason="grader_error", detail=str(wrong))
    except (OSError, ValueError, RuntimeError, LookupError) as wrong:
        return replace(known, reason="grader_error", detail=f"{type(wrong).__name__}: {wrong}")


async def _grade(
    agents: "SandboxEnvironment", folder: str, verifier: Verifier, solution: str | None, fresh: Open, known: Outcome
) -> Outcome:
    outcome = await _judged(agents, folder, verifier, known)
    if outcome.reason != "tests_did_not_run":
        return outcome
    if await _solved_passes(folder, verifier, solution, fresh):
        return outcome
    return replace(outcome, grade="unscored", reason="environment", detail=f"{outcome.detail}; nor with the solution")


async def _judged(agents: "SandboxEnvironment", folder: str, verifier: Verifier, known: Outcome) -> Outcome:
    try:
        known = replace(known, state=await settle(agents, folder))
        run = await verify(agents, folder, verifier)
    except (NotRunError, RunningError, TimeoutError, PermissionError) as refused:
        return replace(known, grade="fail", reason="tests_did_not_run", detail=str(refused))
    return judge(replace(known, run=run), verifier.timeout_s)


def judge(known: Outcome, timeout_s: float) -> Outcome:
    """Return what a run of the verifier says."""
    assert known.run is not None
    if known.run.exit_code is None:
        return replace(known, reason="verifier_timeout", detail=f"test.sh did not end in {timeout_s:g} s")
    try:
        reward = reward_of(known.run.json, known.run.txt)
    except RewardError as wrong:
        return replace(known, reason="reward_unreadable", detail=str(wrong))
    if reward is None:
        detail = f"test.sh ended with exit code {known.run.exit_code} and wrote no reward"
        return replace(known, grade="fail", reason="tests_did_not_run", detail=detail)
    if reward == 1:
        return replace(known, grade="pass", reward=reward)
    return replace(known, grade="fail", reason="tests_failed", detail=f"reward {reward:g}", reward=reward)


async def _solved_passes(folder: str, verifier: Verifier, solution: str | None, fresh: Open) -> bool:
    """Say whether the task's own solution is rewarded with 1 in a fresh sandbox."""
    if solution is None:
        return False
    async with fresh() as clean:
        await clean.exec(["bash", "-c", solution], cwd=folder, timeout=600, timeout_retry=False)
        return (await _judged(clean, folder, verifier, Outcome("unscored"))).grade == "pass"


def to_score(outcome: Outcome) -> "Score":
    """Return the outcome as Inspect keeps it: `C`, `I` or NaN, and all that is known beside it."""
    from inspect_ai.scorer import Score

    value: str | float = {"pass": "C", "fail": "I"}.get(outcome.grade, float("nan"))
    run = outcome.run
    return Score(
        value=value,
        explanation=": ".join(part for part in (outcome.reason, outcome.detail) if part) or None,
        reason=outcome.reason if outcome.grade == "unscored" else None,
        metadata={
            "grade": outcome.grade,
            "reason": outcome.reason,
            "detail": outcome.detail,
            "reward": outcome.reward,
            "patch_digest": outcome.state,
            "grader_version": GRADER_VERSION,
            "score_definition": SCORE_DEFINITION,
            "exit_code": run.exit_code if run else None,
            "verifier_user": run.user if run else None,
            "limits_kind": outcome.limits_kind,
            "log": cut_middle(run.log, LOG_CHARS) if run else None,
        },
    )
