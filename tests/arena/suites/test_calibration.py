import csv
import random
from pathlib import Path

import numpy as np
import pytest

from arena.spec.sample import ids_digest, resolve_sample
from arena.suites.calibration import SYSTEMS, sample_shift, solved_by, stratified, stratified_250

MATRIX = Path(__file__).resolve().parents[4] / "shared" / "data" / "verified_matrix.csv"


def test_seed0_250_reads_two_and_a_half_points_low():
    sample = resolve_sample("seed0-250", solved_by())
    found = sample_shift(sample.ids)

    assert sample.ids == tuple(random.Random(0).sample(sorted(solved_by()), 250))
    assert (found.tasks, found.pool) == (250, 500)
    assert found.shift == pytest.approx(-0.0248, abs=5e-5)
    assert found.expected == pytest.approx(0.0144, abs=1e-4)


def test_the_rest_of_the_pool_reads_as_much_too_high():
    low, high = (sample_shift(resolve_sample(name, solved_by()).ids) for name in ("seed0-250", "seed0-250-dev"))

    assert low.shift == pytest.approx(-high.shift)


def test_the_stratified_sample_hardly_shifts():
    found = sample_shift(stratified_250())

    assert len(set(stratified_250())) == 250
    assert abs(found.shift) < 0.001


def test_the_stratified_sample_is_pinned():
    assert ids_digest(stratified_250())[:16] == "9dfc8a4a891f2e35"
    assert stratified_250() == stratified_250()


def test_every_decile_has_its_share():
    solved = {f"t{index:03}": index // 10 for index in range(200)}
    sample = stratified(solved, 50, seed=3)

    assert sorted(solved[task] // 2 for task in sample) == [decile for decile in range(10) for _ in range(5)]


def test_other_tasks_and_no_tasks_have_no_shift():
    assert sample_shift(["another-1"]) is None
    assert sample_shift([]) is None


@pytest.mark.skipif(not MATRIX.exists(), reason="needs the table of public outcomes")
def test_the_counts_and_both_samples_errors_are_those_of_the_public_table():
    rows = list(csv.reader(MATRIX.read_text(encoding="utf-8").splitlines()))
    ids = [row[0] for row in rows[1:]]
    outcomes = np.array([row[1:] for row in rows[1:]], dtype=float)
    index = {task: number for number, task in enumerate(ids)}
    error = {
        name: outcomes[[index[task] for task in sample]].mean(axis=0) - outcomes.mean(axis=0)
        for name, sample in (
            ("random", random.Random(0).sample(sorted(ids), 250)),
            ("stratified", stratified_250()),
        )
    }

    assert outcomes.shape[1] == SYSTEMS
    assert dict(zip(ids, outcomes.sum(axis=1).astype(int).tolist(), strict=True)) == dict(solved_by())
    assert error["random"].mean() == pytest.approx(sample_shift(resolve_sample("seed0-250", ids).ids).shift)
    assert np.sqrt((error["random"] ** 2).mean()) == pytest.approx(0.0286, abs=1e-4)
    assert np.sqrt((error["stratified"] ** 2).mean()) < 0.015
