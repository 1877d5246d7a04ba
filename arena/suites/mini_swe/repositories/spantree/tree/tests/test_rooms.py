import pytest

from spantree import Span
from spantree.rooms import assigned, conflicts, first_slot, load, needed

DAY = Span(8, 18, "free")
MEETINGS = [Span(9, 11, "a"), Span(10, 12, "b"), Span(11, 13, "c"), Span(15, 16, "d")]


def test_as_many_rooms_as_meetings_at_one_time():
    assert needed(MEETINGS) == 2


def test_one_meeting_after_the_other_needs_one_room():
    assert needed([Span(9, 10), Span(10, 11)]) == 1


def test_no_meetings_need_no_room():
    assert needed([]) == 0


def test_meetings_get_the_lowest_free_room():
    assert assigned(MEETINGS) == {"a": 1, "b": 2, "c": 1, "d": 1}


def test_assigned_rooms_are_as_many_as_needed():
    meetings = [Span(start, start + 5, str(start)) for start in range(20)]
    assert max(assigned(meetings).values()) == needed(meetings) == 5


def test_the_first_slot():
    assert first_slot(MEETINGS, DAY, 2) == Span(13, 15, "free")


def test_a_slot_is_cut_to_its_length():
    assert first_slot([Span(8, 9)], DAY, 0.5) == Span(9, 9.5, "free")


def test_a_slot_may_fill_a_gap_exactly():
    assert first_slot(MEETINGS, DAY, 1) == Span(8, 9, "free")


def test_there_may_be_no_slot():
    assert first_slot(MEETINGS, DAY, 3) is None


def test_conflicts():
    assert conflicts(MEETINGS) == [("a", "b"), ("b", "c")]


def test_a_long_meeting_conflicts_with_all_inside_it():
    assert conflicts([Span(0, 9, "x"), Span(1, 2, "y"), Span(3, 4, "z")]) == [("x", "y"), ("x", "z")]


@pytest.mark.parametrize(("meetings", "share"), [([], 0), ([(8, 13)], 0.5), ([(8, 13), (9, 10)], 0.5), ([(0, 24)], 1)], ids="abcd")
def test_the_load_of_a_day(meetings, share):
    assert load([Span(*meeting) for meeting in meetings], DAY) == pytest.approx(share)
