import itertools
import math

import numpy as np
import pytest

from stats import paired
from stats.evalue import evalue
from stats.sequential import chance_to_reach, e_process, group_sequential, sequential_p

NAN = float("nan")


def test_a_task_counts_once_about_the_population_and_every_run_about_these_tasks():
    first = [[0, 0, 1], [1, 0, 0], [1, 1, 1], [0, NAN, 0]]
    second = [[1, 1, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]]
    population = e_process(first, second)
    tasks = e_process(first, second, "tasks")

    assert [(one.gained, one.lost, one.tied) for one in population] == [(1, 0, 3), (2, 0, 2), (3, 0, 1)]
    assert [(one.gained, one.lost) for one in tasks] == [(1, 0), (3, 0), (4, 1)]
    assert population[2].e_value == evalue(3, 0)


def test_the_e_value_has_mean_1_under_fair_coins_by_full_enumeration():
    values = []
    for gains in itertools.product((0.0, 1.0), repeat=5):
        second = np.array(gains)
        values.append(e_process(1 - second, second)[0].e_value)
    assert math.fsum(values) / 32 == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("estimand", ["population", "tasks"])
def test_swapping_the_cells_swaps_gains_and_losses(estimand):
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 2, (2, 40, 4)).astype(float)
    forth, back = e_process(first, second, estimand), e_process(second, first, estimand)

    assert [(one.gained, one.lost, one.e_value) for one in forth] == [
        (one.lost, one.gained, pytest.approx(one.e_value)) for one in back
    ]


def test_the_order_of_tasks_does_not_matter():
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 2, (2, 40, 4)).astype(float)
    order = rng.permutation(40)

    assert e_process(first, second) == e_process(first[order], second[order])


def replays(rng, tasks, rounds, shift=0.0, own=0.7):
    """Two cells on tasks of very different difficulty, each task with its own small idiosyncrasy of either cell."""
    level = rng.normal(-1.0, 2.0, tasks)
    own = rng.normal(0.0, own, (2, tasks))
    rates = 1 / (1 + np.exp(-(level + own + np.array([[0.0], [shift]]))))
    return (rng.random((2, rounds, tasks)) < rates[:, np.newaxis]).transpose(0, 2, 1).astype(float)


def test_looking_after_every_round_keeps_the_error_rate_under_replicates_that_are_not_independent():
    rng = np.random.default_rng(3)
    crossed = {"population": 0, "tasks": 0, "sequential": 0}
    for _ in range(600):
        first, second = replays(rng, 60, 4)
        crossed["population"] += any(one.e_value >= 20 for one in e_process(first, second))
        crossed["sequential"] += group_sequential(first, second, 4, rng, flips=199)[-1].rejects

    # Two standard errors above .05 at 600 replays.
    assert crossed["population"] / 600 <= 0.068
    assert crossed["sequential"] / 600 <= 0.068
    assert crossed["sequential"] > 0


def test_runs_pooled_as_if_they_were_tasks_would_not_keep_it():
    # The evidence about these tasks is right about these tasks; read for the population it is wrong too often.
    rng = np.random.default_rng(4)
    wrong = sum(
        any(one.e_value >= 20 for one in e_process(*replays(rng, 60, 10, own=2.0), "tasks")) for _ in range(300)
    )

    assert wrong / 300 > 0.05


def test_an_effect_is_found_early_by_the_group_sequential_test():
    rng = np.random.default_rng(5)
    looks = [group_sequential(*replays(rng, 120, 5, shift=1.2), 5, rng, flips=499) for _ in range(60)]

    assert np.mean([one[-1].rejects for one in looks]) > 0.9
    assert np.mean([one[-1].rounds for one in looks]) < 4
    assert all(one[-1].difference > 0 for one in looks if one[-1].rejects)


def test_alpha_is_spent_as_it_was_planned():
    rng = np.random.default_rng(6)
    looks = group_sequential(*replays(rng, 60, 4), 4, rng, flips=999)

    spent = [one.spent for one in looks]
    assert spent == sorted(spent)
    assert spent[-1] == pytest.approx(0.05)
    # 2 - 2 Phi(1.95996 / sqrt(1 / 4)), as in Lan and DeMets.
    assert spent[0] == pytest.approx(8.86e-5, rel=1e-2)


def test_the_chance_to_reach_the_goal_agrees_with_counting():
    # 3 gained, none lost, 2 tied that will both turn: 5 to 0 gives 10.8, less any loss stays below.
    reached = evalue(5, 0)
    assert chance_to_reach(3, 0, 2, turns=1.0, gain=0.7, e_value=reached - 1e-9) == pytest.approx(0.49)
    assert chance_to_reach(3, 0, 2, turns=0.5, gain=0.7, e_value=reached - 1e-9) == pytest.approx(0.25 * 0.49)
    assert chance_to_reach(3, 0, 2, turns=0.0, gain=0.7, e_value=reached) == 0.0


def test_cells_with_other_tasks_are_refused():
    with pytest.raises(ValueError, match="cells must share their tasks, got 3 and 4"):
        e_process(np.zeros((3, 2)), np.zeros((4, 2)))


def test_the_sequential_p_is_the_least_level_that_rejects_and_only_falls_as_rounds_come():
    rng = np.random.default_rng(7)
    first, second = replays(rng, 120, 5, shift=0.8)
    values = [sequential_p(first[:, :rounds], second[:, :rounds], 5) for rounds in range(1, 6)]

    assert values == sorted(values, reverse=True)
    assert values[-1] < 1
    for alpha in (values[-1], values[-1] / 1.11):
        looks = group_sequential(first, second, 5, np.random.default_rng(0), alpha)
        assert looks[-1].rejects == (alpha == values[-1])


def test_at_a_single_look_the_sequential_p_is_the_exact_tests():
    rng = np.random.default_rng(8)
    first, second = replays(rng, 100, 1, shift=0.9)
    exact = paired(first, second).effect.p_exact

    assert 0.001 < exact < 0.5
    assert sequential_p(first, second, 1, flips=19_999) == pytest.approx(exact, rel=0.2)
