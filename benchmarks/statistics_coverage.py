"""How often intervals hold the truth and the decision test errs, by simulation.

    python -m benchmarks.statistics_coverage [--draws 2000]

Task rates are Beta distributed; SHARE of the variance of one run lies within tasks (.2 to .5 on public boards). The
truth is the rate, or the difference, of the population of tasks. Prints Markdown tables; exits 1 if a target is missed
by more than the simulation's own error.
"""

import argparse
import sys
from collections.abc import Callable, Iterator

import numpy as np

from stats import Lattice, bootstrap_interval, effective_size, score_interval, signflip, wilson

SHARE = 0.35
PANELS = (250, 89)
RATES = (0.03, 0.05, 0.1, 0.2, 0.4, 0.6)
RUNS = (1, 2, 3, 4, 5)
UNEQUAL = ((3, 1), (5, 1), (5, 2))
ALPHA = 0.05


def task_rates(generator: np.random.Generator, rate: float, shape: tuple[int, int]) -> np.ndarray:
    weight = SHARE / (1 - SHARE)
    return generator.beta(rate * weight, (1 - rate) * weight, shape)


def score_coverage(generator: np.random.Generator, draws: int, tasks: int, rate: float, runs: int) -> np.ndarray:
    """Shares of draws in which Wilson's interval with effective size, and the pooled one, hold the rate."""
    passed = generator.binomial(runs, task_rates(generator, rate, (draws, tasks)))
    trials, held = np.full(tasks, float(runs)), np.zeros(2)
    for cell in passed:
        total = int(cell.sum())
        clustered = wilson(total, tasks * runs, n_eff=effective_size(cell.astype(float), trials))
        held += rate in clustered, rate in wilson(total, tasks * runs)
    return held / draws


def differences(
    generator: np.random.Generator, shape: tuple[int, int], rate: float, effect: float, runs: tuple[int, int]
) -> Iterator[Lattice]:
    """Differences of two cells; `effect` of the tasks are solved by the second cell whatever the first does."""
    first = task_rates(generator, rate, shape)
    second = np.where(generator.random(shape) < effect / (1 - rate), 1.0, first)
    unit = int(np.lcm(*runs))
    passed = generator.binomial(runs[0], first), generator.binomial(runs[1], second)
    for row in passed[1] * (unit // runs[1]) - passed[0] * (unit // runs[0]):
        yield Lattice(row, unit)


def difference_coverage(generator: np.random.Generator, draws: int, tasks: int, rate: float, runs: int) -> np.ndarray:
    """Shares of draws in which the score interval and the bootstrap's exact law hold a difference of rate / 3."""
    effect, held = rate / 3, np.zeros(2)
    for lattice in differences(generator, (draws, tasks), rate, effect, (runs, runs)):
        held += [effect in method(lattice) for method in (score_interval, bootstrap_interval)]
    return held / draws


def size(generator: np.random.Generator, draws: int, tasks: int, rate: float, runs: tuple[int, int]) -> float:
    """Share of draws without any effect in which the exact test rejects."""
    rejected = sum(
        signflip(lattice).p_exact <= ALPHA for lattice in differences(generator, (draws, tasks), rate, 0.0, runs)
    )
    return rejected / draws


def table(title: str, columns: tuple[object, ...], figure: Callable[[int, float, object], str]) -> None:
    print(f"\n{title}\n\n| tasks | rate | {' | '.join(map(str, columns))} |\n|{'---|' * (len(columns) + 2)}")
    for tasks in PANELS:
        for rate in RATES:
            row = " | ".join(figure(tasks, rate, column) for column in columns)
            print(f"| {tasks} | {rate} | {row} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2_000)
    draws = parser.parse_args().draws
    generator = np.random.default_rng(0)
    covered: list[float] = []
    sizes: list[float] = []

    def of_score(tasks: int, rate: float, runs: object) -> str:
        clustered, pooled = score_coverage(generator, draws, tasks, rate, int(str(runs)))
        covered.append(clustered)
        return f"{clustered:.3f} ({pooled:.3f})"

    def of_difference(tasks: int, rate: float, runs: object) -> str:
        score, law = difference_coverage(generator, draws, tasks, rate, int(str(runs)))
        return f"{score:.3f} ({law:.3f})"

    def of_test(tasks: int, rate: float, runs: object) -> str:
        pair = runs if isinstance(runs, tuple) else (int(str(runs)), int(str(runs)))
        sizes.append(size(generator, draws, tasks, rate, pair))
        return f"{sizes[-1]:.3f}"

    table("Coverage of a cell's rate, by runs: Wilson with effective size (pooled Wilson)", RUNS, of_score)
    table("Coverage of a difference, by runs: score interval (bootstrap law)", (1, 3, 5), of_difference)
    table(f"Size of the exact test at {ALPHA}, by runs of the two cells", (1, 3, 5, *UNEQUAL), of_test)
    error = 3 * np.sqrt(0.05 * 0.95 / draws)
    print(f"\nRate: mean {np.mean(covered):.4f}, least {min(covered):.3f}. Test: greatest size {max(sizes):.4f}.")
    print(f"Three standard errors of one figure: {error:.3f}")
    good = 0.94 <= np.mean(covered) <= 0.97 and min(covered) >= 0.92 - error and max(sizes) <= ALPHA + error
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
