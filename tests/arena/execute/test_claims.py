"""A cell's claims are locked from its file and the records beside it."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from arena.errors import LockedError
from arena.execute.claims import arm_state, lock_claims
from arena.records.episode import Episode
from arena.records.run import Panel, RunRecord, save_run
from arena.records.table import write_episodes
from arena.spec.cell import LoadedCell, load_cell

CELL = """
cell: sft
goal: v5
model: {{base: tiny, revision: "sha256:{zeros}"}}
evaluate: [{{suite: mini_swe, sample: first-10}}, {{suite: other_suite}}]
claims:
{claims}
"""
CLAIM = "  - {id: better, treatment: sft, comparator: base, suite: mini_swe}"


def cell(tmp_path: Path, *claims: str) -> LoadedCell:
    path = tmp_path / "sft.yaml"
    path.write_text(CELL.format(zeros="0" * 64, claims="\n".join(claims)).replace("claims:\n\n", ""))
    return load_cell(path)


def record(root: Path, name: str, grades: str, suite: str = "mini_swe", status: Any = "complete") -> Path:
    """Write a run whose episodes passed (p), failed (f) or could not be scored (u)."""
    digest = hashlib.sha256(f"{name}{grades}".encode()).hexdigest()
    folder = root / name / digest[:8]
    words = {"p": ("pass", None), "f": ("fail", "tests_failed"), "u": ("unscored", "environment")}
    blank: dict[str, Any] = dict.fromkeys(
        [
            "tokens_in",
            "tokens_cached",
            "tokens_out",
            "turns",
            "working_s",
            "waiting_s",
            "cost",
            "limit",
            "parent_episode",
            "started_at",
            "patch_digest",
            "training_seed",
        ]
    )
    texts: dict[str, Any] = dict.fromkeys(
        [
            "system_digest",
            "harness_digest",
            "environment_digest",
            "weights_digest",
            "group",
            "tier",
            "sample_digest",
            "limits_kind",
            "grader_version",
            "log_file",
            "sample_id",
        ],
        "x",
    )
    episodes = [
        Episode(
            cell=name,
            plan_digest=digest,
            suite=suite,
            task=f"t{index}",
            replicate=1,
            attempt=1,
            delegations=0,
            execution="completed",
            grade=words[letter][0],
            reason=words[letter][1],  # type: ignore[arg-type]
            score_definition="resolved/scored",
            **blank,
            **texts,
        )
        for index, letter in enumerate(grades)
    ]
    panel = Panel(suite, "all", "x", tuple(f"t{index}" for index in range(len(grades))), 1, "resolved/scored")
    save_run(RunRecord(folder, name, digest, status, "2026-01-01T00:00:00", "2026-01-01T00:00:00", (panel,), {}))
    write_episodes(folder / "episodes.parquet", episodes)
    return folder


def test_a_claim_is_locked_before_the_treatment_is_run_with_the_comparators_counts(tmp_path: Path):
    runs = tmp_path / "runs"
    base = record(runs, "base", "pppfffu")
    (locked,) = lock_claims(cell(tmp_path, CLAIM), runs, runs / "sft" / "12345678")

    assert not locked.late
    assert (locked.treatment.run, locked.treatment.measured) == (None, False)
    assert (locked.comparator.run, locked.comparator.scored, locked.comparator.passed) == (f"base/{base.name}", 6, 3)
    assert locked.first_runs == {"treatment": "sft/12345678", "comparator": f"base/{base.name}"}


def test_a_claim_added_when_any_run_of_the_treatment_has_a_grade_is_late(tmp_path: Path):
    runs = tmp_path / "runs"
    record(runs, "sft", "uup")
    (locked,) = lock_claims(cell(tmp_path, CLAIM), runs, runs / "sft" / "87654321")

    assert locked.late


def test_another_suites_episodes_and_unscored_ones_say_nothing(tmp_path: Path):
    runs = tmp_path / "runs"
    record(runs, "sft", "uuu")
    record(runs, "sft", "ppp", suite="other_suite")

    assert not lock_claims(cell(tmp_path, CLAIM), runs, runs / "sft" / "87654321")[0].late


def test_what_a_killed_process_left_open_counts_as_measured(tmp_path: Path):
    folder = record(tmp_path / "runs", "sft", "uuu")
    (folder / "evals" / "mini_swe" / "r1" / ".a1.running").mkdir(parents=True)

    assert arm_state(tmp_path / "runs", "sft", "mini_swe").measured


def test_editing_a_locked_claim_ends_with_three_even_under_a_new_plan(tmp_path: Path):
    runs = tmp_path / "runs"
    lock_claims(cell(tmp_path, CLAIM), runs, runs / "sft" / "11111111")
    edited = cell(tmp_path, CLAIM.replace("}", ", margin: 0.01}"))

    with pytest.raises(LockedError, match=r"margin was 0\.0, got 0\.01"):
        lock_claims(edited, runs, runs / "sft" / "22222222")
    with pytest.raises(LockedError, match="is gone"):
        lock_claims(cell(tmp_path), runs, runs / "sft" / "33333333")


def test_a_comparators_run_is_noted_under_claims_that_stand_elsewhere(tmp_path: Path):
    runs = tmp_path / "runs"
    lock_claims(cell(tmp_path, CLAIM), runs, runs / "sft" / "11111111")
    other = tmp_path / "base.yaml"
    other.write_text((tmp_path / "sft.yaml").read_text().split("claims:")[0].replace("cell: sft", "cell: base"))
    lock_claims(load_cell(other), runs, runs / "base" / "99999999")
    (locked,) = lock_claims(cell(tmp_path, CLAIM), runs, runs / "sft" / "11111111")

    assert locked.first_runs == {"treatment": "sft/11111111", "comparator": "base/99999999"}
