"""A balanced tree of spans, each node knowing the last end below it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spantree.span import Span


@dataclass
class Node:
    span: Span
    left: "Node | None" = None
    right: "Node | None" = None
    height: int = 1
    last_end: float = 0.0

    def update(self) -> "Node":
        """Compute height and last end anew from the children."""
        below = [child for child in (self.left, self.right) if child]
        self.height = 1 + max((child.height for child in below), default=0)
        self.last_end = max([self.span.end, *(child.last_end for child in below)])
        return self

    def tilt(self) -> int:
        """Return by how much the left side is higher than the right one."""
        return height(self.left) - height(self.right)


def height(node: Node | None) -> int:
    return node.height if node else 0


def rotate_right(node: Node) -> Node:
    """Put the left child on top."""
    top = node.left
    assert top is not None
    node.left = top.right
    top.right = node.update()
    return top.update()


def rotate_left(node: Node) -> Node:
    """Put the right child on top."""
    top = node.right
    assert top is not None
    node.right = top.left
    top.left = node.update()
    return top.update()


def balance(node: Node) -> Node:
    """Return a node's subtree with sides that differ by at most one."""
    node.update()
    if node.tilt() > 1:
        assert node.left is not None
        if node.left.tilt() < 0:
            node.left = rotate_left(node.left)
        return rotate_right(node)
    if node.tilt() < -1:
        assert node.right is not None
        if node.right.tilt() > 0:
            node.right = rotate_right(node.right)
        return rotate_left(node)
    return node


class SpanTree:
    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self.root: Node | None = None
        self.size = 0
        for span in spans:
            self.add(span)

    def add(self, span: Span) -> None:
        self.root = self.inserted(self.root, span)
        self.size += 1

    def inserted(self, node: Node | None, span: Span) -> Node:
        if node is None:
            return Node(span).update()
        if span < node.span:
            node.left = self.inserted(node.left, span)
        else:
            node.right = self.inserted(node.right, span)
        return balance(node)

    def remove(self, span: Span) -> None:
        """Take one span out; raises `KeyError` if it is not there."""
        self.root = self.removed(self.root, span)
        self.size -= 1

    def removed(self, node: Node | None, span: Span) -> Node | None:
        if node is None:
            raise KeyError(f"{span} is not in the tree")
        if span < node.span:
            node.left = self.removed(node.left, span)
        elif span > node.span:
            node.right = self.removed(node.right, span)
        elif node.left is None or node.right is None:
            return node.left or node.right
        else:
            node.span = first(node.right).span
            node.right = self.removed(node.right, node.span)
        return balance(node)

    def overlapping(self, start: float, end: float) -> list[Span]:
        """Return the spans that have something in common with `start` to `end`, in order."""
        found: list[Span] = []
        search(self.root, Span(start, end), found)
        return found

    def at(self, point: float) -> list[Span]:
        """Return the spans that hold a point, in order."""
        found: list[Span] = []
        stab(self.root, point, found)
        return found

    def nearest(self, point: float) -> Span | None:
        """Return the span nearest to a point; of equally near ones the first."""
        return min(self, key=lambda span: span.distance(point), default=None)

    def __iter__(self) -> Iterator[Span]:
        return walk(self.root)

    def __len__(self) -> int:
        return self.size

    def __contains__(self, span: Span) -> bool:
        node = self.root
        while node is not None and node.span != span:
            node = node.left if span < node.span else node.right
        return node is not None


def first(node: Node) -> Node:
    while node.left is not None:
        node = node.left
    return node


def walk(node: Node | None) -> Iterator[Span]:
    if node is not None:
        yield from walk(node.left)
        yield node.span
        yield from walk(node.right)


def search(node: Node | None, wanted: Span, found: list[Span]) -> None:
    """Collect the spans below a node that overlap; sides on which there can be none are left out."""
    if node is None or node.last_end <= wanted.start:
        return
    search(node.left, wanted, found)
    if node.span.overlaps(wanted):
        found.append(node.span)
    if node.span.start < wanted.end:
        search(node.right, wanted, found)


def stab(node: Node | None, point: float, found: list[Span]) -> None:
    """Collect the spans below a node that hold a point."""
    if node is None or node.last_end <= point:
        return
    stab(node.left, point, found)
    if node.span.holds(point):
        found.append(node.span)
    if node.span.start <= point:
        stab(node.right, point, found)
