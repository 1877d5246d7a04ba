"""What the pages show, laid out in Python so that templates only place it."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from arena.records.episode import Episode
from arena.records.run import RunRecord
from arena.report.compare import Comparison, PanelComparison
from arena.report.outcomes import PanelOutcomes, Place, panel_outcomes
from arena.report.panel import PanelResult, panel_result
from arena.report.site.layout import VIEWER, episodes_page, log_link, log_path
from stats import Interval

SCALES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class EpisodeRow:
    """One attempt, as its row shows it."""

    anchor: str
    episode: Episode
    counts: bool
    """Whether it is the attempt whose grade counts."""
    keys: tuple[str, ...]
    """Filters that show this row."""
    view: str | None
    """Opens it in Inspect's viewer, from the board's root."""
    log: str | None


@dataclass(frozen=True)
class Filter:
    key: str
    label: str
    count: int


@dataclass(frozen=True)
class PanelView:
    """A panel of one run with all of its episodes."""

    run: RunRecord
    result: PanelResult
    outcomes: PanelOutcomes
    page: str
    """Its page of episodes."""
    rows: tuple[EpisodeRow, ...]

    @cached_property
    def anchors(self) -> Mapping[Place, str]:
        return {(row.episode.task, row.episode.replicate): row.anchor for row in self.rows if row.counts}

    @cached_property
    def filters(self) -> Mapping[str, tuple[Filter, ...]]:
        """Filters by what they go by; each counts the episodes that count."""
        counting = [row.episode for row in self.rows if row.counts]
        return {
            "grade": _filters("grade", (episode.grade for episode in counting)),
            "replicate": _filters("replicate", (str(episode.replicate) for episode in counting)),
            "tier": _filters("tier", (episode.tier for episode in counting)),
            "reason": _filters("reason", (episode.reason for episode in counting if episode.reason)),
            "ended": _filters("ended", (episode.limit or episode.execution for episode in counting)),
        }

    def link(self, kind: str, value: str) -> str | None:
        """Return the link to the episodes of a filter, from the board's root; none if there is no such episode."""
        there = any(one.label == value for one in self.filters[kind])
        return f"{self.page}#{key_of(kind, value)}" if there else None

    def task_grades(self, task: str) -> tuple[tuple[str, str | None], ...]:
        """Return the grade and the anchor of each replicate of a task."""
        grades = []
        for replicate in range(1, self.outcomes.panel.replicates + 1):
            episode = self.outcomes.counting.get((task, replicate))
            planned = (task, replicate) not in self.outcomes.panel.absent
            grade = episode.grade if episode else "missing" if planned else "absent"
            grades.append((grade, self.anchors.get((task, replicate))))
        return tuple(grades)


@dataclass(frozen=True)
class Crosstab:
    """How often each rate of A meets each rate of B on the paired tasks."""

    of_a: tuple[str, ...]
    of_b: tuple[str, ...]
    counts: Mapping[tuple[str, str], int]

    def side(self, a: str, b: str) -> str:
        rates = [_share(text) for text in (a, b)]
        return "same" if rates[0] == rates[1] else "up" if rates[1] > rates[0] else "down"


def key_of(kind: str, value: str) -> str:
    """Return a filter's name, safe as an anchor and as a class whatever the value."""
    plain = re.sub(r"[^a-z0-9_]+", "-", value.lower())[:40].strip("-")
    if plain == value:
        return f"{kind}-{plain}"
    return f"{kind}-{plain}-{hashlib.sha256(value.encode()).hexdigest()[:8]}"


def panel_views(run: RunRecord, logs: frozenset[str]) -> tuple[PanelView, ...]:
    views = []
    for panel in run.panels:
        outcomes = panel_outcomes(run, panel)
        rows = tuple(_rows(run, outcomes, logs))
        views.append(PanelView(run, panel_result(outcomes), outcomes, episodes_page(run.id, panel.suite), rows))
    return tuple(views)


def crosstab(a: PanelView, b: PanelView, compared: PanelComparison) -> Crosstab:
    """Count pairs of rates; at one run each this is the fourfold table of McNemar's test."""
    pairs = Counter((_rate_text(a, task), _rate_text(b, task)) for task in compared.task_ids)
    of_a, of_b = (sorted({pair[side] for pair in pairs}, key=_share, reverse=True) for side in (0, 1))
    return Crosstab(tuple(of_a), tuple(of_b), {pair: pairs.get(pair, 0) for pair in product(of_a, of_b)})


def rate_scale(results: Iterable[PanelResult]) -> float:
    """Return the end of a common axis for these rates, the least round one that holds every interval."""
    ends = [result.wilson_neff.hi for result in results if result.wilson_neff]
    return _round_up(ends)


def difference_scale(comparisons: Sequence[Comparison]) -> float:
    """Return the end of a common axis for these differences, in both directions."""
    panels = [panel for comparison in comparisons for panel in comparison.panels]
    spans = [interval for panel in panels for interval in (panel.ci95, panel.score_interval) if interval]
    ends = [max(abs(interval.lo), abs(interval.hi)) for interval in spans]
    return _round_up([*ends, *(panel.noise.band for panel in panels if panel.noise.band)])


def place(value: float, scale: float, low: float = 0.0) -> float:
    """Return where a value lies on an axis from `low` to `scale`, in percent of its length, cut at both ends."""
    return round(100 * min(max((value - low) / (scale - low), 0.0), 1.0), 3)


def span(interval: Interval, scale: float, low: float = 0.0) -> tuple[float, float]:
    """Return where an interval begins on an axis and how long it is, in percent."""
    begin, end = place(interval.lo, scale, low), place(interval.hi, scale, low)
    return begin, round(end - begin, 3)


def _round_up(ends: Sequence[float]) -> float:
    return next((scale for scale in SCALES if scale >= max(ends, default=0.0)), 1.0)


def _rows(run: RunRecord, outcomes: PanelOutcomes, logs: frozenset[str]) -> Iterable[EpisodeRow]:
    number = 0
    order = {task: index for index, task in enumerate(outcomes.panel.task_ids)}
    for task_place in sorted(outcomes.attempts, key=lambda one: (order[one[0]], one[1])):
        for episode in outcomes.attempts[task_place]:
            number += 1
            counts = outcomes.counting[task_place] is episode
            there = log_path(run, episode) in logs
            yield EpisodeRow(
                anchor=f"e{number}",
                episode=episode,
                counts=counts,
                keys=_keys(episode) if counts else (),
                view=log_link(run, episode) if there else None,
                log=f"{VIEWER}/logs/{log_path(run, episode)}" if there else None,
            )


def _keys(episode: Episode) -> tuple[str, ...]:
    found = {
        "grade": episode.grade,
        "replicate": str(episode.replicate),
        "tier": episode.tier,
        "reason": episode.reason,
        "ended": episode.limit or episode.execution,
    }
    return tuple(key_of(kind, value) for kind, value in found.items() if value)


def _filters(kind: str, values: Iterable[str]) -> tuple[Filter, ...]:
    return tuple(Filter(key_of(kind, value), value, count) for value, count in sorted(Counter(values).items()))


def _rate_text(view: PanelView, task: str) -> str:
    grades = [grade for grade, _ in view.task_grades(task)]
    passed = grades.count("pass")
    return f"{passed}/{passed + grades.count('fail')}"


def _share(text: str) -> float:
    passed, scored = text.split("/")
    return int(passed) / int(scored)
