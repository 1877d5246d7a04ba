"""The 2 x 2 tables of a study: what either factor is worth beside either level of the other, and whether that differs.

"The training helps" and "the training hurts" were both true of the seed's checkpoint, under two harnesses. Only the
table says so.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import stats
from arena.records.run import RunRecord
from arena.report.outcomes import panel_outcomes
from arena.report.rounds import panel_of
from arena.report.words import p_value, percent, percents, plain, points, table
from arena.spec.study import Study
from stats import Effect, Interval

HEADER = ("effect", "at", "difference", "95%", "exact p", "up, down")


@dataclass(frozen=True)
class FactorEffect:
    """One effect of a table, on the tasks that all four cells scored."""

    kind: str
    """`simple`, `main` or `interaction`."""
    of: str
    """The factor and its levels: `weights: base to sft`."""
    at: str
    """The other factor's level; of a main effect its mean, of an interaction the change between its levels."""
    difference: float | None
    interval: Interval | None
    p_exact: float | None
    improved: int
    regressed: int


@dataclass(frozen=True)
class FactorTable:
    """Two factors at two levels on one suite."""

    suite: str
    rows: str
    columns: str
    row_levels: tuple[str, str]
    column_levels: tuple[str, str]
    others: str
    """Levels of the study's further factors."""
    runs: tuple[str, str, str, str]
    """In the order of the rates: first row, second row."""
    rates: tuple[float | None, float | None, float | None, float | None]
    paired: int
    effects: tuple[FactorEffect, ...]

    def to_markdown(self) -> str:
        head = f"### {self.rows} by {self.columns} on {self.suite}{f', {self.others}' if self.others else ''}"
        cells = table(
            (f"{self.rows} \\ {self.columns}", *self.column_levels),
            [
                (plain(level), *(percent(rate) for rate in self.rates[2 * row : 2 * row + 2]))
                for row, level in enumerate(self.row_levels)
            ],
        )
        effects = table(HEADER, [[plain(text) for text in effect_line(effect)] for effect in self.effects])
        return "\n\n".join((plain(head).replace("\\#", "#"), cells, effects))


def effect_line(effect: FactorEffect) -> tuple[str, ...]:
    """Return an effect as the cells of a row."""
    moved = f"{effect.improved} up, {effect.regressed} down"
    interval = percents(effect.interval)
    return f"{effect.kind}, {effect.of}", effect.at, points(effect.difference), interval, p_value(effect.p_exact), moved


def factorials(study: Study, runs: Sequence[RunRecord]) -> tuple[FactorTable, ...]:
    """Lay out a study's grid as 2 x 2 tables: two axes, the first label of each against each of its others."""
    if study.grid is None:
        return ()
    by_cell = {run.cell: run for run in runs}
    cells = {frozenset(labels): by_cell.get(name) for name, labels in study.grid.cells()}
    axes = {axis: tuple(labels) for axis, labels in study.grid.axes.items()}
    return tuple(
        found
        for rows, columns in itertools.combinations(axes, 2)
        for fixed in itertools.product(
            *([(axis, label) for label in axes[axis]] for axis in axes if axis not in (rows, columns))
        )
        for row, column in itertools.product(axes[rows][1:], axes[columns][1:])
        for found in _tables(cells, ((rows, axes[rows][0], row), (columns, axes[columns][0], column)), fixed)
    )


Factor = tuple[str, str, str]
"""A factor, its first level and its second."""


def factor_table(
    suite: str, corner: Sequence[RunRecord], rows: Factor, columns: Factor, others: str = ""
) -> FactorTable | None:
    """Analyse four runs, given in the order (first, first), (first, second), (second, first), (second, second)."""
    panels = [panel_of(run, suite) for run in corner]
    outcomes = [panel_outcomes(run, panel) for run, panel in zip(corner, panels, strict=True) if panel is not None]
    if len(outcomes) < 4:
        return None
    tasks = sorted(set(outcomes[0].panel.task_ids).intersection(*(one.panel.task_ids for one in outcomes)))
    matrices = [one.restricted(tasks).matrix for one in outcomes]
    y00, y01, y10, y11 = matrices
    found = stats.interaction(y00, y01, y10, y11)
    scores = [stats.score(matrix) for matrix in matrices]
    row, column = (f"{name}: {first} to {second}" for name, first, second in (rows, columns))
    return FactorTable(
        suite=suite,
        rows=rows[0],
        columns=columns[0],
        row_levels=rows[1:],
        column_levels=columns[1:],
        others=others,
        runs=(corner[0].id, corner[1].id, corner[2].id, corner[3].id),
        rates=(scores[0].rate, scores[1].rate, scores[2].rate, scores[3].rate),
        paired=len(found.interaction.paired),
        effects=(
            _effect("simple", row, f"{columns[0]} {columns[1]}", found.first_without),
            _effect("simple", row, f"{columns[0]} {columns[2]}", found.first_with),
            _effect("simple", column, f"{rows[0]} {rows[1]}", found.second_without),
            _effect("simple", column, f"{rows[0]} {rows[2]}", found.second_with),
            _effect("main", row, f"mean over {columns[0]}", found.first),
            _effect("main", column, f"mean over {rows[0]}", found.second),
            _effect("interaction", row, f"{columns[0]} {columns[2]} less {columns[1]}", found.interaction),
        ),
    )


def _tables(
    cells: Mapping[frozenset[tuple[str, str]], RunRecord | None],
    factors: tuple[Factor, Factor],
    fixed: tuple[tuple[str, str], ...],
) -> Iterator[FactorTable]:
    rows, columns = factors
    corner = [cells.get(frozenset(((rows[0], r), (columns[0], c), *fixed))) for r in rows[1:] for c in columns[1:]]
    there = [run for run in corner if run is not None]
    if len(there) == 4:
        others = ", ".join(f"{axis} {label}" for axis, label in fixed)
        for panel in there[0].panels:
            if (found := factor_table(panel.suite, there, rows, columns, others)) is not None:
                yield found


def _effect(kind: str, of: str, at: str, effect: Effect) -> FactorEffect:
    return FactorEffect(
        kind, of, at, effect.difference, effect.interval, effect.p_exact, effect.improved, effect.regressed
    )
