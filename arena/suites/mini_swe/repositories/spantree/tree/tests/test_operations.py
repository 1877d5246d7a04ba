from spantree import Span
from spantree.operations import chunks, covered, gaps, intersected, merged, split, subtracted

DAY = Span(0, 24, "day")


def ends(spans):
    return [(span.start, span.end) for span in spans]


def test_overlapping_spans_are_merged():
    assert merged([Span(3, 9), Span(0, 5, "a")]) == [Span(0, 9, "a")]


def test_touching_spans_are_merged():
    assert ends(merged([Span(0, 5), Span(5, 9)])) == [(0, 9)]


def test_apart_spans_are_not_merged():
    assert ends(merged([Span(6, 9), Span(0, 5)])) == [(0, 5), (6, 9)]


def test_a_span_inside_another_changes_nothing():
    assert ends(merged([Span(0, 9), Span(2, 3), Span(8, 10)])) == [(0, 10)]


def test_the_covered_length_is_counted_once():
    assert covered([Span(0, 5), Span(3, 9), Span(20, 21)]) == 10


def test_gaps():
    assert ends(gaps([Span(2, 5), Span(8, 9)], DAY)) == [(0, 2), (5, 8), (9, 24)]


def test_gaps_have_the_label_of_the_whole():
    assert gaps([Span(0, 20)], DAY) == [Span(20, 24, "day")]


def test_no_gap_is_left_in_what_is_covered():
    assert gaps([Span(0, 12), Span(12, 24)], DAY) == []


def test_spans_beyond_the_whole_do_not_matter():
    assert ends(gaps([Span(-5, -1), Span(-1, 3), Span(20, 30), Span(40, 50)], DAY)) == [(3, 20)]


def test_without_spans_the_whole_is_a_gap():
    assert gaps([], DAY) == [DAY]


def test_subtracting():
    assert ends(subtracted([Span(0, 10), Span(20, 30)], [Span(5, 25)])) == [(0, 5), (25, 30)]


def test_subtracting_keeps_labels():
    assert subtracted([Span(0, 10, "a")], [Span(4, 6)]) == [Span(0, 4, "a"), Span(6, 10, "a")]


def test_intersecting():
    assert ends(intersected([Span(0, 10), Span(20, 30)], [Span(5, 25)])) == [(5, 10), (20, 25)]


def test_intersecting_merges_the_right_list():
    assert intersected([Span(0, 10, "a")], [Span(2, 4), Span(4, 6)]) == [Span(2, 6, "a")]


def test_splitting():
    assert ends(split(Span(0, 10), [4, 7])) == [(0, 4), (4, 7), (7, 10)]


def test_points_at_the_ends_split_nothing():
    assert ends(split(Span(0, 10), [0, 10, 12])) == [(0, 10)]


def test_chunks():
    assert ends(chunks(Span(0, 10), 4)) == [(0, 4), (4, 8), (8, 10)]


def test_chunks_that_fit_exactly():
    assert ends(chunks(Span(2, 8), 3)) == [(2, 5), (5, 8)]
