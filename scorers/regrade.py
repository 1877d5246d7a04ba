"""Grading again what a log holds: an edit of each score, with who, why and by which grader; the first grade stays."""

import hashlib
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from arena.errors import RecordError, SandboxError, ScoreError
from arena.suites.environment import EnvironmentSpec
from scorers.evaluation import EVALUATION_S
from scorers.swe_bench import evaluate, to_score, with_gold
from scorers.verdict import grader_version

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score
    from inspect_ai.util import SandboxEnvironment


@dataclass(frozen=True)
class Regraded:
    """What came of grading one episode again."""

    task: str
    before: str
    after: str | None
    """None where it could not be graded again."""
    detail: str = ""


def regrade(log: Path, author: str, reason: str, timeout_s: int = EVALUATION_S) -> tuple[Regraded, ...]:
    """Grade every recorded patch of a log again and append what came of it to the log's scores.

    Raises
    ------
    RecordError
        The log cannot be read.
    """
    import anyio
    from inspect_ai.log import ProvenanceData, edit_score, read_eval_log, write_eval_log
    from inspect_ai.scorer import ScoreEdit

    try:
        data = read_eval_log(str(log))
    except Exception as damage:
        raise RecordError(f"{log}: not a readable Inspect log ({damage}); restore it") from damage
    provenance = ProvenanceData(author=author, reason=reason, metadata={"grader_version": grader_version()})
    results = []
    for sample in data.samples or ():
        for name, score in (sample.scores or {}).items():
            if "patch_digest" not in (score.metadata or {}):
                continue
            result, again = anyio.run(_again, sample, score, timeout_s)
            results.append(result)
            if again is not None:
                edit = ScoreEdit(
                    value=again.value,
                    explanation=again.explanation,
                    reason=again.reason,
                    metadata={**(score.metadata or {}), **(again.metadata or {})},
                    provenance=provenance,
                )
                edit_score(data, sample.id, name, edit, recompute_metrics=False, epoch=sample.epoch)
    written = log.with_name(f".{log.name}")
    write_eval_log(data, str(written), format="eval")
    written.replace(log)
    return tuple(results)


async def _again(sample: "EvalSample", score: "Score", timeout_s: int) -> "tuple[Regraded, Score | None]":
    from arena.execute.sandboxes.open import open_sandbox

    said: Mapping[str, Any] = score.metadata or {}
    before, task = str(said.get("grade")), str(sample.id)
    text = said.get("model_patch")
    if not text:
        return Regraded(task, before, None, "it left no patch"), None
    patch = str(text).encode()
    if f"sha256:{hashlib.sha256(patch).hexdigest()}" != said["patch_digest"]:
        return Regraded(task, before, None, "its patch is not whole in the log"), None
    environment: Any = TypeAdapter(EnvironmentSpec).validate_python(sample.metadata["grading_environment"])
    folder, row = str(sample.metadata["task_folder"]), sample.metadata["grading"]

    def fresh() -> "AbstractAsyncContextManager[SandboxEnvironment]":
        return open_sandbox(environment)

    try:
        async with fresh() as clean:
            outcome = await evaluate(clean, folder, row, patch, timeout_s)
        outcome = await with_gold(outcome, folder, row, fresh, timeout_s)
    except (SandboxError, ScoreError) as failed:
        return Regraded(task, before, None, str(failed)), None
    kept = replace(outcome, limits_kind=str(said.get("limits_kind")))
    return Regraded(task, before, outcome.grade, outcome.reason or ""), to_score(kept)
