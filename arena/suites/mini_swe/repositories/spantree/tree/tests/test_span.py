import pytest

from spantree import Span


def test_a_span_holds_its_start_and_not_its_end():
    span = Span(2, 5)
    assert [point for point in range(8) if span.holds(point)] == [2, 3, 4]


@pytest.mark.parametrize("end", [1, 2])
def test_a_span_ends_after_its_start(end):
    with pytest.raises(ValueError, match="ends after its start"):
        Span(2, end)


def test_the_length():
    assert Span(2, 5).length == 3


@pytest.mark.parametrize(("other", "overlap"), [((4, 6), True), ((5, 6), False), ((0, 2), False), ((3, 4), True)], ids="abcd")
def test_overlaps(other, overlap):
    assert Span(2, 5).overlaps(Span(*other)) is overlap
    assert Span(*other).overlaps(Span(2, 5)) is overlap


@pytest.mark.parametrize(("other", "touch"), [((5, 6), True), ((0, 2), True), ((6, 7), False), ((0, 1), False)], ids="abcd")
def test_touching(other, touch):
    assert Span(2, 5).touches(Span(*other)) is touch


@pytest.mark.parametrize(("other", "cover"), [((2, 5), True), ((3, 4), True), ((1, 4), False), ((3, 6), False)], ids="abcd")
def test_covering(other, cover):
    assert Span(2, 5).covers(Span(*other)) is cover


def test_what_is_common():
    assert Span(2, 5, "a").common(Span(4, 9, "b")) == Span(4, 5, "a")


def test_spans_that_only_touch_have_nothing_in_common():
    assert Span(2, 5).common(Span(5, 9)) is None


def test_joining():
    assert Span(2, 5, "a").joined(Span(7, 9, "b")) == Span(2, 9, "a")


def test_shifting():
    assert Span(2, 5, "a").shifted(3) == Span(5, 8, "a")


@pytest.mark.parametrize(("point", "distance"), [(0, 2), (3, 0), (8, 3), (2, 0)])
def test_distances(point, distance):
    assert Span(2, 5).distance(point) == distance
