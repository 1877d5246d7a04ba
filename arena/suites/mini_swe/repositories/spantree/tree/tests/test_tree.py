import random

import pytest

from spantree import Span, SpanTree
from spantree.tree import height


def labels(spans):
    return [span.label for span in spans]


def many(count, seed=1):
    source = random.Random(seed)
    starts = [source.randrange(200) for _ in range(count)]
    return [Span(start, start + source.randrange(1, 30), str(number)) for number, start in enumerate(starts)]


def test_spans_at_a_point():
    tree = SpanTree([Span(0, 5, "a"), Span(3, 9, "b"), Span(5, 7, "c")])
    assert labels(tree.at(4)) == ["a", "b"]
    assert labels(tree.at(5)) == ["b", "c"]


def test_overlapping_spans():
    tree = SpanTree([Span(0, 5, "a"), Span(3, 9, "b"), Span(10, 12, "c")])
    assert labels(tree.overlapping(5, 10)) == ["b"]
    assert labels(tree.overlapping(4, 11)) == ["a", "b", "c"]


def test_an_empty_tree_finds_nothing():
    assert SpanTree().at(1) == []
    assert SpanTree().overlapping(1, 2) == []
    assert SpanTree().nearest(1) is None


def test_spans_come_in_order():
    spans = many(50)
    assert list(SpanTree(spans)) == sorted(spans)


@pytest.mark.parametrize("point", range(0, 230, 23))
def test_points_are_found_as_by_looking_at_all(point):
    spans = many(80)
    assert SpanTree(spans).at(point) == sorted(span for span in spans if span.holds(point))


@pytest.mark.parametrize("start", range(0, 230, 23))
def test_overlaps_are_found_as_by_looking_at_all(start):
    spans, wanted = many(80), Span(start, start + 10)
    assert SpanTree(spans).overlapping(start, start + 10) == sorted(span for span in spans if span.overlaps(wanted))


def test_a_long_span_far_to_the_left_is_found():
    tree = SpanTree([Span(0, 100, "long"), *(Span(start, start + 1) for start in range(1, 50))])
    assert labels(tree.at(99)) == ["long"]


def test_added_in_order_the_tree_stays_flat():
    tree = SpanTree(Span(start, start + 1) for start in range(127))
    assert height(tree.root) == 7


def test_added_backwards_the_tree_stays_flat():
    tree = SpanTree(Span(start, start + 1) for start in range(127, 0, -1))
    assert height(tree.root) == 7


def test_added_at_random_the_tree_stays_flat():
    assert height(SpanTree(many(1000)).root) <= 13


def test_removed_spans_are_gone():
    spans = many(60)
    tree = SpanTree(spans)
    for span in spans[::2]:
        tree.remove(span)
    assert list(tree) == sorted(spans[1::2])


def test_a_tree_stays_flat_when_spans_are_removed():
    tree = SpanTree(Span(start, start + 1) for start in range(128))
    for start in range(96):
        tree.remove(Span(start, start + 1))
    assert height(tree.root) <= 6


def test_a_removed_long_span_is_not_looked_for():
    tree = SpanTree([Span(0, 100, "long"), Span(1, 2), Span(3, 4)])
    tree.remove(Span(0, 100, "long"))
    assert tree.root.last_end == 4


def test_removing_what_is_not_there_is_an_error():
    tree = SpanTree([Span(0, 1)])
    with pytest.raises(KeyError):
        tree.remove(Span(0, 2))
    assert len(tree) == 1


def test_the_size_is_counted():
    tree = SpanTree(many(10))
    tree.remove(many(10)[3])
    assert len(tree) == 9


def test_equal_spans_are_kept_twice():
    tree = SpanTree([Span(0, 1), Span(0, 1)])
    tree.remove(Span(0, 1))
    assert list(tree) == [Span(0, 1)]


def test_membership():
    spans = many(30)
    tree = SpanTree(spans)
    assert all(span in tree for span in spans)
    assert Span(0, 999) not in tree


@pytest.mark.parametrize(("point", "label"), [(0, "a"), (6, "a"), (8, "b"), (20, "b")])
def test_the_nearest_span(point, label):
    assert SpanTree([Span(1, 5, "a"), Span(10, 12, "b")]).nearest(point).label == label
