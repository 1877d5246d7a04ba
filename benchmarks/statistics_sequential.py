"""What looking after every round saves, and whether it keeps the error rate: replays with tasks of unlike difficulty.

    python -m benchmarks.statistics_sequential [--replays 1000] [--nulls 10000] [--trials CSV]

The fixed plan runs ROUNDS rounds and tests once, by the exact sign-flip test. Beside it, on the same replays: the exact
group-sequential test with as many rounds at most, and e-values about the population with twice as many, stopped when
decided, spent or futile. `--trials` replays recorded runs as well: a table with submission, task, trial, outcome.
"""

import argparse
import csv
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np

import stats
from arena.report.stopping import FUTILE, hopeful_chance
from stats.sequential import e_process, group_sequential

TASKS, ROUNDS, MOST, ALPHA = 250, 5, 10, 0.05
LEVEL, SPREAD, OWN = -1.6, 2.2, 0.3
"""Mean and spread of the tasks' difficulty in logits, and how far either system is from it by itself."""
PLANNED = 0.31
"""Shift in logits with which the fixed plan has a power of about 80%."""


@dataclass
class Tally:
    rejected: int = 0
    wrong: int = 0
    rounds: list[int] = field(default_factory=list)

    def line(self, replays: int) -> str:
        used = np.mean(self.rounds)
        return f"{self.rejected / replays:7.3f} {self.wrong / replays:7.4f} {used:7.2f} {1 - used / ROUNDS:7.1%}"


def replay(rng, shift):
    level = rng.normal(LEVEL, SPREAD, TASKS)
    own = rng.normal(0.0, OWN, (2, TASKS))
    rates = 1 / (1 + np.exp(-(level + own + np.array([[0.0], [shift]]))))
    return (rng.random((2, MOST, TASKS)) < rates[:, np.newaxis]).transpose(0, 2, 1).astype(float)


def fixed(first, second):
    effect = stats.paired(first[:, :ROUNDS], second[:, :ROUNDS]).effect
    return effect.p_exact < ALPHA, effect.difference > 0, ROUNDS


def sequential(first, second, rng):
    last = group_sequential(first, second, ROUNDS, rng, ALPHA, flips=999)[-1]
    return last.rejects, last.difference > 0, last.rounds


def by_e_value(first, second):
    rounds = e_process(first, second)
    for count, one in enumerate(rounds, start=1):
        if one.e_value >= 1 / ALPHA:
            return True, one.gained > one.lost, count
        if hopeful_chance(rounds[:count], MOST - count, 1 / ALPHA) < FUTILE:
            return False, False, count
    return False, False, MOST


def simulate(replays, shift, seed):
    rng = np.random.default_rng(seed)
    found = {name: Tally() for name in ("fixed plan", "group-sequential", "e-value")}
    effect = []
    for _ in range(replays):
        first, second = replay(rng, shift)
        effect.append(float(second.mean() - first.mean()))
        outcomes = (fixed(first, second), sequential(first, second, rng), by_e_value(first, second))
        for tally, (rejects, better, rounds) in zip(found.values(), outcomes, strict=True):
            tally.rejected += rejects
            tally.wrong += bool(rejects and not better)
            tally.rounds.append(rounds)
    return found, float(np.mean(effect))


def recorded(path):
    """Return the outcomes of each submission with five trials of every task, shape (tasks, trials)."""
    cells = defaultdict(dict)
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            value = {"pass": 1.0, "fail": 0.0}.get(row["outcome"], np.nan)
            cells[row["benchmark"], row["submission"]][row["task"], int(row["trial"])] = value
    boards = defaultdict(list)
    for (board, _), outcomes in cells.items():
        tasks = sorted({task for task, _ in outcomes})
        boards[board, tuple(tasks)].append(
            [[outcomes.get((t, r), np.nan) for r in range(1, ROUNDS + 1)] for t in tasks]
        )
    return [np.array(found) for found in boards.values() if len(found) > 1]


def replay_records(path):
    rng = np.random.default_rng(0)
    rounds, agree, rejected, pairs = [], 0, 0, 0
    for board in recorded(path):
        for a, b in combinations(range(len(board)), 2):
            last = group_sequential(board[a], board[b], ROUNDS, rng, ALPHA, flips=999)[-1]
            once = stats.paired(board[a], board[b]).effect.p_exact < ALPHA
            rounds.append(last.rounds)
            agree += last.rejects == once
            rejected += once
            pairs += 1
    print(
        f"recorded trials: {pairs} pairs, {rejected} differ by all {ROUNDS} rounds; looking after each one takes "
        f"{np.mean(rounds):.2f} rounds ({1 - np.mean(rounds) / ROUNDS:.0%} fewer) and agrees in {agree}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replays", type=int, default=1000)
    parser.add_argument("--nulls", type=int, default=10_000)
    parser.add_argument("--trials")
    chosen = parser.parse_args()
    for name, shift, replays in (
        ("null", 0.0, chosen.nulls),
        ("planned effect", PLANNED, chosen.replays),
        ("1.5 times the planned effect", 1.5 * PLANNED, chosen.replays),
    ):
        found, effect = simulate(replays, shift, seed=1)
        print(f"{name}: mean difference {100 * effect:+.2f} points, {replays} replays")
        print(f"{'':18}{'rejects':>8}{'wrong':>8}{'rounds':>8}{'saved':>8}")
        for method, tally in found.items():
            print(f"{method:18}{tally.line(replays)}", flush=True)
    if chosen.trials:
        replay_records(chosen.trials)


if __name__ == "__main__":
    main()
