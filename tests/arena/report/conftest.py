"""Runs made of synthetic episodes, written and read back by the real record writers."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.records.episode import Episode
from arena.records.run import Panel, RunRecord, StageState, load_run, save_run
from arena.records.table import write_episodes
from arena.spec.factors import Factor

Grades = Sequence[str]
"""One string a replicate, one letter a task: `p` pass, `f` fail, `u` unscored, `.` not recorded."""


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def make_episode(cell: str, suite: str, task: str, replicate: int, **changes: Any) -> Episode:
    episode = Episode(
        cell=cell,
        plan_digest=digest(cell),
        suite=suite,
        sample_digest=digest(suite),
        task=task,
        group=task.split("-", maxsplit=1)[0],
        tier="easy",
        replicate=replicate,
        attempt=1,
        execution="completed",
        limit=None,
        grade="pass",
        reason=None,
        score_definition="resolved/scored",
        tokens_in=100,
        tokens_cached=10,
        tokens_out=20,
        turns=3,
        working_s=1.5,
        waiting_s=0.5,
        cost=None,
        delegations=0,
        parent_episode=None,
        started_at="2026-01-02T03:04:05+00:00",
        system_digest=digest(f"{cell} system"),
        harness_digest=digest("harness"),
        environment_digest=digest(f"{task} environment"),
        weights_digest=digest(f"{cell} weights"),
        patch_digest=None,
        training_seed=None,
        limits_kind="cgroup-v1",
        grader_version="swebench 5.0.2",
        log_file=f"evals/{suite}/r{replicate}/a1.eval",
        sample_id=digest(f"{cell} {task} {replicate}")[:22],
    )
    return replace(episode, **changes)


LETTERS: Mapping[str, Mapping[str, Any]] = {
    "p": {"grade": "pass"},
    "f": {"grade": "fail", "reason": "tests_failed"},
    "u": {"grade": "unscored", "reason": "environment", "execution": "sandbox_error"},
    "n": {"grade": "unscored", "reason": "not_run_budget", "execution": "not_run_budget"},
}


def task_ids(count: int) -> tuple[str, ...]:
    return tuple(f"repo-{index:03}" for index in range(count))


def make_factors(**values: Any) -> tuple[Factor, ...]:
    """Design factors, `__` standing for the dot: `recipe__trainer="…"`."""
    return tuple(Factor(name.replace("__", "."), value, "design") for name, value in sorted(values.items()))


MakeRun = Callable[..., RunRecord]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    return run_maker(tmp_path)


@pytest.fixture(scope="session", name="run_maker")
def _run_maker() -> Callable[[Path], MakeRun]:
    return run_maker


def run_maker(root: Path) -> MakeRun:
    def make(
        cell: str,
        panels: Mapping[str, Grades],
        *,
        factors: tuple[Factor, ...] | None = None,
        extra: Sequence[Episode] = (),
        status: str = "complete",
        change: Callable[[Episode], Episode] = lambda episode: episode,
        tasks: tuple[str, ...] | None = None,
    ) -> RunRecord:
        folder = root / "runs" / cell / digest(cell)[:8]
        episodes = [
            change(make_episode(cell, suite, task, replicate, **LETTERS[letter]))
            for suite, grades in panels.items()
            for replicate, letters in enumerate(grades, start=1)
            for task, letter in zip(tasks or task_ids(len(letters)), letters, strict=True)
            if letter != "."
        ]
        run = RunRecord(
            folder=folder,
            cell=cell,
            plan_digest=digest(cell),
            status=status,  # type: ignore[arg-type]
            started_at="2026-01-02T03:04:05+00:00",
            updated_at="2026-01-02T04:04:05+00:00",
            panels=tuple(
                Panel(suite, "all", digest(suite), tasks or task_ids(len(grades[0])), len(grades), "resolved/scored")
                for suite, grades in panels.items()
            ),
            stages={
                "train": StageState("a1b2", "done", "store/train/a1b2", 12.5, {"steps": 40, "loss": 0.25}),
                "evaluate": StageState("c3d4", "done", None, 60.0, {}),
            },
            factors=make_factors(recipe__trainer=f"trainers.{cell}:train") if factors is None else factors,
        )
        save_run(run)
        write_episodes(folder / "episodes.parquet", [*episodes, *extra])
        return load_run(folder)

    return make


@pytest.fixture(name="make_episode")
def _make_episode() -> Callable[..., Episode]:
    return make_episode


@pytest.fixture(name="make_factors")
def _make_factors() -> Callable[..., tuple[Factor, ...]]:
    return make_factors
