"""Meetings and rooms."""

import heapq
from collections.abc import Iterable

from spantree.operations import gaps
from spantree.span import Span


def needed(meetings: Iterable[Span]) -> int:
    """Return how many rooms are needed: the most meetings at one time."""
    events = []
    for meeting in meetings:
        events.append((meeting.start, 1))
        events.append((meeting.end, -1))
    most = running = 0
    for _, change in sorted(events):
        running += change
        most = max(most, running)
    return most


def assigned(meetings: Iterable[Span]) -> dict[str, int]:
    """Return a room, counted from 1, for each meeting's label: the lowest that is free."""
    rooms: dict[str, int] = {}
    busy: list[tuple[float, int]] = []
    free: list[int] = []
    for meeting in sorted(meetings):
        while busy and busy[0][0] <= meeting.start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        room = heapq.heappop(free) if free else len(busy) + 1
        rooms[meeting.label] = room
        heapq.heappush(busy, (meeting.end, room))
    return rooms


def first_slot(meetings: Iterable[Span], day: Span, length: float) -> Span | None:
    """Return the first free stretch of a day that is long enough, cut to the length."""
    for gap in gaps(meetings, day):
        if gap.length >= length:
            return Span(gap.start, gap.start + length, day.label)
    return None


def conflicts(meetings: Iterable[Span]) -> list[tuple[str, str]]:
    """Return the labels of each two meetings that overlap."""
    ordered = sorted(meetings)
    found = []
    for number, meeting in enumerate(ordered):
        for other in ordered[number + 1 :]:
            if other.start >= meeting.end:
                break
            found.append((meeting.label, other.label))
    return found


def load(meetings: Iterable[Span], day: Span) -> float:
    """Return the share of a day that is taken, from 0 to 1."""
    free = sum(gap.length for gap in gaps(meetings, day))
    return 1 - free / day.length
