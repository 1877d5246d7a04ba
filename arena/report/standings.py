"""Which cells of a panel can be told apart: every pair tested, ranks with intervals, tiers, and the set of best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import stats
from arena.records.run import RunRecord
from arena.report.outcomes import PanelOutcomes, panel_outcomes
from arena.report.rounds import panel_of
from stats import PairMatrix

ALPHA = 0.05
SAMPLES = 10_000
SEED = 0
LISTED_PAIRS = 5_000
"""Pairs that are listed one by one; of more only the count of those told apart is."""


@dataclass(frozen=True)
class Standing:
    """Where one run stands among those of its panel."""

    run: str
    rank: int
    rank_lo: int
    rank_hi: int
    """95% interval of the rank over resampled tasks, taken alone."""
    tier: int
    """Runs of one tier cannot be told from its best one; 1 is the upper."""
    p_best: float
    """Share of resamples in which none is better."""
    may_be_best: bool
    """Whether it cannot be excluded, at 95% for all together, that it is the best."""


@dataclass(frozen=True)
class Pair:
    """Two runs, B less A, on the tasks that both scored."""

    a: str
    b: str
    paired: int
    difference: float | None
    p_exact: float | None
    p_adjusted: float | None
    """Benjamini and Hochberg's, in the family of all pairs of the panel."""


@dataclass(frozen=True)
class Standings:
    """A panel's runs against each other."""

    suite: str
    sample: str
    tasks: int
    runs: tuple[Standing, ...]
    """In the order given."""
    pairs: int
    told_apart: int
    """Pairs with an adjusted p below alpha."""
    alpha: float
    correction: str
    listed: tuple[Pair, ...]
    """All pairs; none where there are too many to list."""


def standings(runs: Sequence[RunRecord], suite: str) -> Standings | None:
    """Compare every run of a suite's panel with every other; none where fewer than two have a score."""
    there = [(run.id, found) for run in runs if (found := _scored(run, suite)) is not None]
    if len(there) < 2:
        return None
    names, outcomes = [name for name, _ in there], [found for _, found in there]
    cube = _cube(outcomes)
    # A run whose scored tasks are none of the common ones has nothing to be ranked by.
    kept = [index for index, matrix in enumerate(cube) if np.isfinite(matrix).any()]
    names, cube = [names[index] for index in kept], cube[kept]
    if len(names) < 2:
        return None
    matrix = stats.all_pairs(cube, correction="bh", intervals=False)
    panel = outcomes[0].panel
    return Standings(
        suite=suite,
        sample=panel.sample,
        tasks=cube.shape[1],
        runs=_standings(names, cube, matrix),
        pairs=matrix.p.size,
        told_apart=int((matrix.p_adjusted < ALPHA).sum()),
        alpha=ALPHA,
        correction=matrix.correction,
        listed=_listed(names, matrix) if matrix.p.size <= LISTED_PAIRS else (),
    )


def _scored(run: RunRecord, suite: str) -> PanelOutcomes | None:
    panel = panel_of(run, suite)
    if panel is None:
        return None
    outcomes = panel_outcomes(run, panel)
    return outcomes if any(episode.scored for episode in outcomes.counting.values()) else None


def _cube(outcomes: Sequence[PanelOutcomes]) -> NDArray[np.float64]:
    """Return outcomes of shape (runs, tasks, replicates) on the tasks that all panels have."""
    common = set(outcomes[0].panel.task_ids).intersection(*(one.panel.task_ids for one in outcomes))
    tasks = sorted(common)
    cube = np.full((len(outcomes), len(tasks), max(one.panel.replicates for one in outcomes)), np.nan)
    for index, one in enumerate(outcomes):
        cube[index, :, : one.panel.replicates] = one.restricted(tasks).matrix
    return cube


def _standings(names: Sequence[str], cube: NDArray[np.float64], matrix: PairMatrix) -> tuple[Standing, ...]:
    tier_of = {cell: number for number, tier in enumerate(stats.tiers(matrix, ALPHA), start=1) for cell in tier}
    best = set(stats.best_set(cube, np.random.default_rng(SEED)))
    return tuple(
        Standing(names[one.cell], one.rank, one.lo, one.hi, tier_of[one.cell], one.p_best, may_be_best=one.cell in best)
        for one in stats.ranks(cube, np.random.default_rng(SEED), SAMPLES)
    )


def _listed(names: Sequence[str], matrix: PairMatrix) -> tuple[Pair, ...]:
    first, second = np.triu_indices(len(names), 1)
    columns = (matrix.difference, matrix.p, matrix.p_adjusted)
    return tuple(
        Pair(names[i], names[j], int(paired), *(None if np.isnan(value) else float(value) for value in values))
        for i, j, paired, *values in zip(first.tolist(), second.tolist(), matrix.paired, *columns, strict=True)
    )
