"""Figures as words, the same in the terminal, in Markdown and on the site. A missing figure is a dash, never a zero."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.suites.calibration import SampleShift
    from stats import Interval

NONE = "—"


def percent(share: float | None) -> str:
    return NONE if share is None else f"{100 * share:.1f}%"


def percents(interval: "Interval | None") -> str:
    return NONE if interval is None else f"[{100 * interval.lo:.1f}, {100 * interval.hi:.1f}]"


def points(difference: float | None) -> str:
    """Return a difference of two shares in percentage points, with its sign."""
    return NONE if difference is None else f"{100 * difference + 0.0:+.1f}pp"


def p_value(p: float | None) -> str:
    if p is None:
        return NONE
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def number(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def seconds(value: float | None) -> str:
    """Return a duration in the largest unit that leaves a readable figure."""
    if value is None:
        return NONE
    if value < 120:
        return f"{value:.1f} s"
    return f"{value / 60:.1f} min" if value < 7200 else f"{value / 3600:.1f} h"


def moment(at: str) -> str:
    """Return an ISO 8601 time to the minute, in UTC."""
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def axis(share: float) -> str:
    """Return the end of an axis, which is a round share."""
    return f"{100 * share:g}%"


def money(cost: float | None) -> str:
    return "unpriced" if cost is None else f"{cost:,.4f}"


def tally(counts: Mapping[str, int]) -> str:
    """Return `3 tests_failed, 1 empty_patch`, the largest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count} {word}" for word, count in ordered) or NONE


def margin(share: float | None) -> str:
    """Return a half-width in percentage points."""
    return NONE if share is None else f"±{100 * share:.1f}pp"


def calibrated(shift: "SampleShift") -> str:
    """Say what a sample reads too high or too low; never to be compared with a score on the whole pool."""
    return (
        f"public systems score {points(shift.shift)} on these {shift.tasks} tasks against all {shift.pool}, "
        f"{margin(shift.expected)} being usual for a random sample"
    )


def brief(value: object) -> str:
    """Return a recorded value as text, a digest cut to what tells it from another."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return re.sub(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b", r"\1…", text)


def plain(text: str) -> str:
    """Make a text safe inside a Markdown table: cell names and reasons come from outside."""
    for mark in "\\`*_[]<>|":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.split())


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; the first column is text, the others are figures."""
    rule = ["---", *("---:" for _ in header[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])
