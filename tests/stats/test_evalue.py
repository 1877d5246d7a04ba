import math

import numpy as np
import pytest

from stats import evalue


@pytest.mark.parametrize(
    ("b", "c", "value"), [(29, 7, 179.885), (31, 12, 9.328), (21, 38, 1.240), (4, 0, 4.375), (0, 0, 1)]
)
def test_published_counts(b: int, c: int, value: float) -> None:
    assert evalue(b, c) == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize("a", [0.5, 1, 3])
def test_its_mean_is_one_when_there_is_no_difference(a: float) -> None:
    for n in (1, 5, 40):
        mean = sum(math.comb(n, b) / 2**n * evalue(b, n - b, a) for b in range(n + 1))
        assert mean == pytest.approx(1, rel=1e-12)


def test_looking_after_every_task_keeps_the_error_rate() -> None:
    generator = np.random.default_rng(0)
    gains = np.cumsum(generator.random((2_000, 200)) < 0.5, axis=1)
    table = np.array([[evalue(b, n - b) if b <= n else 0 for b in range(201)] for n in range(201)])
    ever = (table[np.arange(1, 201), gains] >= 20).any(axis=1)
    assert ever.mean() <= 0.05


def test_strong_evidence_is_finite_and_nonsense_is_refused() -> None:
    assert math.isfinite(evalue(5_000, 0))
    with pytest.raises(ValueError, match="whole number"):
        evalue(-1, 2)
    with pytest.raises(ValueError, match="must be positive"):
        evalue(1, 2, a=0)
