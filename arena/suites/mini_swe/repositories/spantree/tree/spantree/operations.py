"""Lists of spans, combined."""

from collections.abc import Iterable
from dataclasses import replace

from spantree.span import Span


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans that touch or overlap as one, in order; the first label is kept."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and found[-1].touches(span):
            found[-1] = found[-1].joined(span)
        else:
            found.append(span)
    return found


def covered(spans: Iterable[Span]) -> float:
    """Return the length that is covered, counted once where spans overlap."""
    return sum(span.length for span in merged(spans))


def gaps(spans: Iterable[Span], whole: Span) -> list[Span]:
    """Return the parts of `whole` that no span covers, with its label."""
    found = []
    position = whole.start
    for span in merged(spans):
        if span.end <= position:
            continue
        if span.start >= whole.end:
            break
        if span.start > position:
            found.append(replace(whole, start=position, end=span.start))
        position = span.end
    if position < whole.end:
        found.append(replace(whole, start=position))
    return found


def subtracted(spans: Iterable[Span], holes: Iterable[Span]) -> list[Span]:
    """Return what is left of spans without the holes."""
    cut = merged(holes)
    return [rest for span in spans for rest in gaps(cut, span)]


def intersected(left: Iterable[Span], right: Iterable[Span]) -> list[Span]:
    """Return what each span of the left list has in common with the right one, with the left label."""
    others = merged(right)
    found = []
    for span in left:
        parts = [span.common(other) for other in others]
        found += [part for part in parts if part is not None]
    return found


def split(span: Span, points: Iterable[float]) -> list[Span]:
    """Cut a span at points; those at its ends and outside cut nothing."""
    inner = sorted({point for point in points if span.start < point < span.end})
    edges = [span.start, *inner, span.end]
    return [replace(span, start=start, end=end) for start, end in zip(edges, edges[1:], strict=False)]


def chunks(span: Span, size: float) -> list[Span]:
    """Cut a span into pieces of a size; the last one may be shorter."""
    count = int(span.length // size)
    return split(span, [span.start + size * number for number in range(1, count + 1)])
