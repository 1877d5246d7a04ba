"""What was read from another program's records: episodes, panels, what could not be read, and what was left unsaid."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import stats
from arena.records.episode import Episode
from arena.records.run import Panel
from arena.records.scores import Score, counting, score
from arena.spec.factors import Scalar
from stats import Interval

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a source does not say, or leaves to its reader."""

    suite: str | None = None
    """The suite's name, where the source's own is not the one to compare under."""
    sample: str | None = None
    """The sample's name."""
    tasks: tuple[str, ...] | None = None
    """The planned tasks, where the source names only some of them."""
    pass_at: float | None = None
    """The least reward that is a pass; without it only 1 passes, only 0 fails, and what lies between is unscored."""
    scorer: str | None = None
    """Which of several scores or metrics is the grade."""
    only: str | None = None
    """Which of several agents, models or runs in one folder."""
    rows: Path | None = None
    """SWE-bench's rows, `.jsonl` or `.jsonl.gz`, with which stored logs of tests are graded again."""


DEFAULTS = Options()


class Unreadable(NamedTuple):
    """Something that stands in the source and could not be read."""

    place: str
    reason: str


class Published(NamedTuple):
    """A figure that the source itself states."""

    suite: str
    name: str
    """The score definition under which it can be computed again, or the source's own name for it."""
    value: float
    place: str


@dataclass(frozen=True)
class PanelLine:
    """One imported panel, counted."""

    suite: str
    sample: str
    tasks: int
    replicates: int
    planned: int
    recorded: int
    passed: int
    failed: int
    unscored: int
    """Planned and without a grade, the ones that were never recorded included."""
    rate: float | None
    bracket: Interval
    """[passed / planned, (passed + unscored) / planned]."""
    unscored_reasons: Mapping[str, int]
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class Imported:
    format: str
    source: str
    episodes: tuple[Episode, ...]
    panels: tuple[Panel, ...]
    score_names: tuple[str, ...]
    """The definitions of the score that belong to the format."""
    unreadable: tuple[Unreadable, ...] = ()
    notes: tuple[str, ...] = ()
    known: Mapping[str, Scalar] = field(default_factory=dict)
    """Factors that the source states, by path; every other one is unrecorded."""
    published: tuple[Published, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """The sha256 of every file that was read, by its name below the source's folder."""
    run: str | None = None
    """The run that was made of it, `cell/digest8`."""

    @property
    def lines(self) -> tuple[PanelLine, ...]:
        return tuple(_line(panel, self.episodes, self.score_names) for panel in self.panels)

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Say where a figure that the source states is not what its episodes give under the same definition."""
        found = {(line.suite, one.name): one.value for line in self.lines for one in line.scores}
        return tuple(
            f"{one.place} states {one.name} {one.value:.6g} of {one.suite}; its episodes give {_figure(again)}"
            for one in self.published
            if (again := found.get((one.suite, one.name), one.value)) is None or abs(again - one.value) > 1e-6
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "source": self.source,
            "run": self.run,
            "panels": [_line_json(line) for line in self.lines],
            "published": [one._asdict() for one in self.published],
            "disagreements": list(self.disagreements),
            "unreadable": [one._asdict() for one in self.unreadable],
            "notes": list(self.notes),
            "factors": dict(self.known),
            "files": dict(self.files),
        }

    def drawn(self) -> "RenderableType":
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table("suite", "tasks", "x", "pass", "fail", "unscored", "planned", "rate", "bracket", box=None)
        for line in self.lines:
            counts = (line.tasks, line.replicates, line.passed, line.failed, line.unscored, line.planned)
            bracket = f"{line.bracket.lo:.1%} to {line.bracket.hi:.1%}"
            table.add_row(Text(line.suite), *map(str, counts), _figure(line.rate), bracket)
        scores = [f"{one.name} {_figure(one.value)}: {one.definition}" for line in self.lines for one in line.scores]
        kept = f"kept as the run {self.run}" if self.run else "nothing was kept; --as-cell NAME makes a run of it"
        parts: list[RenderableType] = [Text(f"{self.source}: {self.format}", style="bold"), table, Text(kept)]
        stated = [f"{one.suite}: {one.name} {one.value:.6g}" for one in self.published]
        texts = {
            "scores": scores,
            "stated by the source": stated,
            "stated otherwise": self.disagreements,
            "could not be read": [f"{place}: {reason}" for place, reason in self.unreadable],
            "notes": self.notes,
        }
        for title, lines in texts.items():
            if lines:
                parts += [Text(f"\n{title}", style="bold"), *(Text(f"  {line}") for line in lines[:50])]
                parts += [Text(f"  and {len(lines) - 50} more")] if len(lines) > 50 else []
        return Group(*parts)


def _line(panel: Panel, episodes: tuple[Episode, ...], score_names: tuple[str, ...]) -> PanelLine:
    there = counting(panel, episodes)
    passed = sum(one.grade == "pass" for one in there.values())
    scored = sum(one.scored for one in there.values())
    reasons: dict[str, int] = {}
    for one in there.values():
        if not one.scored:
            reasons[one.reason or one.execution] = reasons.get(one.reason or one.execution, 0) + 1
    return PanelLine(
        suite=panel.suite,
        sample=panel.sample,
        tasks=len(panel.task_ids),
        replicates=panel.replicates,
        planned=panel.planned,
        recorded=len(there),
        passed=passed,
        failed=scored - passed,
        unscored=panel.planned - scored,
        rate=passed / scored if scored else None,
        bracket=stats.bracket(passed, scored, panel.planned),
        unscored_reasons=dict(sorted(reasons.items())),
        scores=tuple(score(name, panel, episodes) for name in score_names),
    )


def _line_json(line: PanelLine) -> dict[str, Any]:
    values = {**vars(line), "bracket": [line.bracket.lo, line.bracket.hi]}
    return {**values, "scores": [one.as_json() for one in line.scores]}


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"
