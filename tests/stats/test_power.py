import itertools
import math

import numpy as np
import pytest
import scipy.stats as sps
from hypothesis import given
from hypothesis import strategies as st

from stats import discordant_at, mde, power, runs_needed, signflip, tasks_needed


def enumerated_power(effect: float, tasks: int, discordant: float, alpha: float) -> float:
    """Over all trinomial outcomes, by scipy's own test."""
    gain, loss = (discordant + effect) / 2, (discordant - effect) / 2
    total = 0.0
    for b, c in itertools.product(range(tasks + 1), repeat=2):
        if b + c <= tasks and (b + c == 0 or sps.binomtest(b, b + c).pvalue > alpha):
            continue
        if b + c <= tasks:
            ways = math.comb(tasks, b) * math.comb(tasks - b, c)
            total += ways * gain**b * loss**c * (1 - discordant) ** (tasks - b - c)
    return total


@pytest.mark.parametrize(("effect", "tasks", "discordant", "alpha"), [(0.2, 21, 0.4, 0.05), (0.0, 18, 0.6, 0.2)])
def test_all_outcomes_are_counted(effect: float, tasks: int, discordant: float, alpha: float) -> None:
    assert power(effect, tasks, discordant, alpha) == pytest.approx(
        enumerated_power(effect, tasks, discordant, alpha), rel=1e-10
    )


@given(st.integers(0, 120), st.floats(0.01, 0.99), st.sampled_from([0.01, 0.05, 0.1]))
def test_without_an_effect_the_level_is_kept(tasks: int, discordant: float, alpha: float) -> None:
    assert 0 <= power(0.0, tasks, discordant, alpha) <= alpha + 1e-12


@given(st.floats(0.01, 0.3))
def test_the_sign_of_the_effect_does_not_matter(effect: float) -> None:
    assert power(effect, 90, 0.3) == pytest.approx(power(-effect, 90, 0.3), rel=1e-12)


@pytest.mark.parametrize(
    ("tasks", "points"),
    [(89, [None, 10.3, 11.9, 13.5]), (250, [5.1, 6.4, 7.2, 8.1]), (500, [3.7, 4.5, 5.1, 5.7])],
)
def test_detectable_effects_at_the_usual_panels(tasks: int, points: list[float | None]) -> None:
    found = [mde(tasks, discordant) for discordant in (0.08, 0.12, 0.156, 0.2)]
    assert [effect and round(100 * effect, 1) for effect in found] == points


def test_the_published_minus_6_8_points_had_little_power() -> None:
    assert power(-0.068, 250, 59 / 250) == pytest.approx(0.56, abs=0.005)


def test_a_detectable_effect_is_found_with_the_power_asked_for() -> None:
    effect = mde(250, 0.156, power=0.9, alpha=0.01)
    assert effect is not None
    assert power(effect, 250, 0.156, 0.01) == pytest.approx(0.9, abs=1e-6)


def test_replicates_remove_noise_and_nothing_else() -> None:
    assert discordant_at(1, 0.172) == 0.172
    assert discordant_at(4, 0.172, 0.156) == pytest.approx(0.016 + 0.039)
    found = [mde(250, 0.172, noise=0.156, runs=runs) for runs in (1, 2, 3, 5)]
    assert found == pytest.approx([0.0755, 0.0559, 0.0471, 0.0388], abs=1e-4)
    assert runs_needed(0.05, 250, 0.172, 0.156) == 3
    assert runs_needed(0.01, 89, 0.172, 0.05) is None
    with pytest.raises(ValueError, match="noise between runs"):
        mde(250, 0.172, runs=2)


def test_one_task_fewer_is_not_enough() -> None:
    tasks = tasks_needed(0.05, 0.172)
    assert tasks is not None
    assert power(0.05, tasks, 0.172) >= 0.8 > power(0.05, tasks - 1, 0.172)
    assert tasks_needed(0.05, 0.172, noise=0.156, runs=3) < tasks
    assert tasks_needed(0.01, 0.5, most=3_000) is None


@pytest.mark.parametrize(
    ("tasks", "moved", "half", "runs"), [(250, 100, 0.05, 3), (250, 100, 0.05, 5), (120, 72, 0.06, 3)]
)
def test_with_more_runs_the_signflip_test_finds_at_least_about_what_is_promised(
    tasks: int, moved: int, half: float, runs: int
) -> None:
    generator = np.random.default_rng(0)
    first, second = (np.where(np.arange(tasks) < moved, rate, 0.0) for rate in (0.5 - half, 0.5 + half))
    discordant = np.mean(first * (1 - second) + second * (1 - first))
    noise = np.mean(first * (1 - first) + second * (1 - second))
    promised = power(2 * half * moved / tasks, tasks, discordant_at(runs, discordant, noise))
    draws = (signflip(generator.binomial(runs, second) - generator.binomial(runs, first)) for _ in range(800))
    found = np.mean([draw.p_exact <= 0.05 for draw in draws])
    assert promised - 0.05 < found < promised + 0.12


def test_impossible_effects_are_refused() -> None:
    with pytest.raises(ValueError, match="moves at least that share"):
        power(0.3, 100, 0.2)
    with pytest.raises(ValueError, match="effect must lie between"):
        tasks_needed(0.3, 0.2)
    with pytest.raises(ValueError, match="effect must lie between"):
        runs_needed(0.0, 100, 0.2, 0.1)
