import pytest

from linediff.changes import Change, changes, hunks, summary, totals


@pytest.mark.parametrize(
    ("old", "new", "kind"), [("ab", "axb", "insert"), ("axb", "ab", "delete"), ("axb", "ayb", "replace")]
)
def test_kinds_of_changes(old, new, kind):
    assert [change.kind for change in changes(list(old), list(new))] == [kind]


def test_equal_texts_have_no_changes():
    assert changes(list("ab"), list("ab")) == []


def test_a_change_says_where_it_is():
    assert changes(list("abcd"), list("axyd")) == [Change(1, 3, 1, 3)]


def test_changes_at_the_end_are_found():
    assert changes(list("ab"), list("abc")) == [Change(2, 2, 2, 3)]


def test_changes_at_the_start_are_found():
    assert changes(list("bc"), list("abc")) == [Change(0, 0, 0, 1)]


def near(distance):
    return [Change(0, 1, 0, 1), Change(1 + distance, 2 + distance, 1 + distance, 2 + distance)]


def test_near_changes_share_a_hunk():
    assert len(list(hunks(near(2), context=3))) == 1


def test_changes_whose_context_touches_share_a_hunk():
    assert len(list(hunks(near(6), context=3))) == 1


def test_far_changes_are_apart():
    assert len(list(hunks(near(7), context=3))) == 2


def test_no_changes_make_no_hunk():
    assert list(hunks([], context=3)) == []


def test_totals_count_lines():
    assert totals([Change(0, 2, 0, 1), Change(5, 5, 4, 7)]) == (4, 2)


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((1, 0), "1 insertion(+)"),
        ((0, 2), "2 deletions(-)"),
        ((3, 1), "3 insertions(+), 1 deletion(-)"),
        ((0, 0), "no changes"),
    ],
    ids=["insertion", "deletions", "both", "none"],
)
def test_summaries(counts, text):
    assert summary(*counts) == text
