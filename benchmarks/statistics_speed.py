"""What the statistics cost: one comparison, the rollup of 1,000 cells, and a public board, with peers in the same run.

    python -m benchmarks.statistics_speed [--cells 1000] [--matrix verified_matrix.csv]

CPU time on one BLAS thread; peers and ours take turns, the median of the repetitions counts. The floor beside a figure
is the least time that its matrix products and its output need at the speed that this machine shows in the same run.
"""

import argparse
import csv
import importlib.util
import os
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.stats as sps

from stats import all_pairs, bootstrap_interval, paired, ranks, signflip
from stats.arrays import counts
from stats.contrast import paired_tasks
from stats.lattice import lattice

TASKS, SAMPLES = 250, 10_000


def cpu_ms(*calls: Callable[[], object], repeat: int = 7) -> list[float]:
    """Median CPU milliseconds of each call, taken in turns."""
    taken: list[list[float]] = [[] for _ in calls]
    for _ in range(repeat + 1):
        for times, call in zip(taken, calls, strict=True):
            start = time.process_time()
            call()
            times.append(1e3 * (time.process_time() - start))
    return [statistics.median(times[1:]) for times in taken]


def cells(number: int, tasks: int, runs: int, seed: int = 0) -> np.ndarray:
    """Outcomes of shape (cells, tasks, runs) with skills, difficulties and noise as on public boards."""
    generator = np.random.default_rng(seed)
    skill, ease = generator.normal(0, 1, (number, 1)), generator.normal(-0.5, 1.5, tasks)
    rates = 1 / (1 + np.exp(-(skill + ease + generator.normal(0, 0.7, (number, tasks)))))
    return (generator.random((number, tasks, runs)) < rates[..., np.newaxis]) * 1.0


def many(call: Callable[[], object], times: int = 20) -> Callable[[], object]:
    return lambda: [call() for _ in range(times)]


def p_and_law(first: np.ndarray, second: np.ndarray) -> object:
    """The deciding p and the interval, from outcomes."""
    arms = [counts(first), counts(second)]
    steps = lattice(arms, [-1, 1], paired_tasks(arms))
    return signflip(steps), bootstrap_interval(steps)


def scipys(first: np.ndarray, second: np.ndarray) -> object:
    return sps.bootstrap(
        (first.mean(axis=1), second.mean(axis=1)),
        lambda a, b, axis: b.mean(axis=axis) - a.mean(axis=axis),
        paired=True,
        n_resamples=SAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    )


def one_comparison(times: int = 20) -> None:
    print(
        f"One comparison, {TASKS} tasks, CPU ms; in brackets how often scipy's paired bootstrap of {SAMPLES} takes that"
    )
    for runs in (1, 3):
        first, second = cells(2, TASKS, runs)
        arms = [counts(first), counts(second)]
        steps = lattice(arms, [-1, 1], paired_tasks(arms))
        calls = {
            "all of paired()": partial(paired, first, second),
            "p and interval": partial(p_and_law, first, second),
            # A new object each time: a lattice remembers its histogram.
            "interval alone": lambda steps=steps: bootstrap_interval(replace(steps)),
        }
        *ours, peer = cpu_ms(*(many(call, times) for call in calls.values()), partial(scipys, first, second))
        print(f"  {runs} run(s): scipy {peer:.1f}", end="")
        for name, taken in zip(calls, ours, strict=True):
            print(f"  {name} {taken / times:.3f} ({peer * times / taken:.0f} x)", end="")
        print()


def machine() -> tuple[float, float, float]:
    """Speed of single and double products in flop/s and of a copy in byte/s, as this run sees them."""
    a, b = np.ones((1000, 250), np.float32), np.ones((250, 1000), np.float32)
    c, d = np.ones((1024, 60)), np.ones((60, 130))
    block = np.ones(2**22)
    single, double, copy = cpu_ms(many(lambda: a @ b), many(lambda: c @ d, 200), many(block.copy))
    return 20 * 5e8 / single * 1e3, 200 * 2 * 1024 * 60 * 130 / double * 1e3, 20 * 2 * block.nbytes / copy * 1e3


def rollup(number: int, runs: int = 3) -> None:
    y = cells(number, TASKS, runs)
    pairs = number * (number - 1) // 2
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    p_only, with_intervals, ranked = cpu_ms(
        lambda: all_pairs(y, intervals=False),
        lambda: all_pairs(y),
        lambda: ranks(y, np.random.default_rng(0)),
        repeat=3,
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    single, double, copied = machine()
    # Level pairs below each other, both ways round, over the upper triangle; then every resample of every cell.
    histogram = (runs + 1) * runs / 2 * number**2 * TASKS * 2
    resampling = 2 * SAMPLES * TASKS * number
    # Per pair: 2 x 2 runs phases at some 170 frequencies, then some 60 of their parts at some 130 places.
    waves = pairs * (2 * 2 * 2 * runs * 170 + 2 * 60 * 130)
    output = 7 * 8 * pairs
    floor = 1e3 * ((histogram + resampling) / single + waves / double + output / copied)
    print(f"Rollup of {number} cells x {TASKS} tasks x {runs} runs, {pairs} pairs, CPU ms")
    print(
        f"  p {p_only:.0f}  p and interval {with_intervals:.0f}  ranks {ranked:.0f}  all {with_intervals + ranked:.0f}"
    )
    print(f"  floor {floor:.0f}: {(histogram + resampling) / 1e9:.1f} Gflop single at {single / 1e9:.0f}/s, ", end="")
    print(f"{waves / 1e9:.1f} Gflop double at {double / 1e9:.0f}/s, {output / 1e6:.0f} MB at {copied / 1e9:.1f} GB/s")
    print(f"  peak memory {peak / 1024:.0f} MB, {(peak - before) / 1024:.0f} MB of it for this")


def board(path: Path, top: int = 30) -> None:
    table = np.array([row[1:] for row in csv.reader(path.read_text().splitlines())][1:], dtype=float).T
    best = table[np.argsort(-table.mean(axis=1), kind="stable")[:top]]
    first, second = np.triu_indices(top, 1)
    gained = ((best[second] == 1) & (best[first] == 0)).sum(axis=1)
    lost = ((best[second] == 0) & (best[first] == 1)).sum(axis=1)

    def binomtests() -> np.ndarray:
        return np.array([sps.binomtest(b, b + c).pvalue for b, c in zip(gained.tolist(), lost.tolist(), strict=True)])

    def ours() -> object:
        return all_pairs(best), ranks(best, np.random.default_rng(0))

    taken, peer = cpu_ms(ours, binomtests, repeat=3)
    matrix, p = all_pairs(best), binomtests()
    print(f"Top {top} of {path.name}, {p.size} pairs, CPU ms")
    print(f"  ours (p, intervals, ranks) {taken:.0f}  scipy binomtest (p alone) {peer:.0f}", end="")
    print(f"  largest difference of p {np.abs(matrix.p - p).max():.1e}")
    print(f"  not told apart: {(matrix.p >= 0.05).sum()} of {p.size}, after BH {(matrix.p_adjusted >= 0.05).sum()}")
    if importlib.util.find_spec("honestboard"):
        honestboard(best, matrix.p, first, second)
    else:
        print("  honestboard is not installed here")


def honestboard(best: np.ndarray, p: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
    from honestboard import Board

    names = [str(cell) for cell in range(len(best))]
    panel = Board(names, best.astype(np.uint8))
    some = range(0, p.size, max(1, p.size // 45))
    start = time.process_time()
    theirs = [panel.compare(int(first[i]), int(second[i]), B=SAMPLES)["p_two_sided"] for i in some]
    taken = 1e3 * (time.process_time() - start)
    start = time.process_time()
    panel.rank_summary(B=SAMPLES)
    ranked = 1e3 * (time.process_time() - start)
    print(f"  honestboard: {taken / len(some):.0f} a pair (p and sampled interval), ranks {ranked:.0f}", end="")
    print(f"  largest difference of p {np.abs(np.array(theirs) - p[list(some)]).max():.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--matrix", type=Path, help="CSV: a row a task, its id first, then a column a system")
    asked = parser.parse_args()
    one_comparison()
    rollup(asked.cells)
    if asked.matrix:
        board(asked.matrix)


if __name__ == "__main__":
    main()
