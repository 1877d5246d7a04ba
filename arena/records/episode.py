"""One row an episode: the table from which every published figure is computed."""

from dataclasses import dataclass

from arena.records.outcome import Execution, Grade, Limit

SCHEMA_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Episode:
    """What happened in one attempt at one task; columns of `episodes.parquet`, in this order."""

    schema_version: int = SCHEMA_VERSION
    cell: str
    plan_digest: str
    suite: str
    sample_digest: str
    task: str
    group: str
    """The task's repository or category."""
    tier: str
    replicate: int
    """From 1."""
    attempt: int
    """From 1; only unscored attempts are followed by another, and the first grade counts."""
    execution: Execution
    limit: Limit | None
    grade: Grade
    reason: str | None
    """Why it failed or could not be scored; null for a pass."""
    score_definition: str
    tokens_in: int | None
    tokens_cached: int | None
    tokens_out: int | None
    turns: int | None
    working_s: float | None
    waiting_s: float | None
    cost: float | None
    """Null where there is no price; never 0 for want of one."""
    delegations: int | None
    parent_episode: str | None
    started_at: str | None
    """ISO 8601, UTC."""
    system_digest: str
    harness_digest: str
    environment_digest: str
    weights_digest: str
    patch_digest: str | None
    training_seed: int | None
    limits_kind: str
    """How resources were limited: `cgroup-v1`, `cgroup-v2`, `rlimit`, `docker`, `none`."""
    grader_version: str
    log_file: str
    """Path of the Inspect log, relative to the run's folder."""
    sample_id: str
    """The sample's uuid in that log."""

    @property
    def scored(self) -> bool:
        return self.grade != "unscored"
