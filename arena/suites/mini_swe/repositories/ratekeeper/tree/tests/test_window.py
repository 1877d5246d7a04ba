import pytest

from ratekeeper.window import FixedWindow, SlidingWindow


def test_a_window_allows_its_limit():
    window = SlidingWindow(2, 10)
    assert [window.check(now).allowed for now in (0, 1, 2)] == [True, True, False]


def test_events_leave_after_a_period():
    window = SlidingWindow(1, 10)
    assert [window.check(now).allowed for now in (0, 9.9, 10)] == [True, False, True]


def test_the_waiting_time_ends_when_the_oldest_event_leaves():
    window = SlidingWindow(2, 10)
    window.check(0)
    window.check(4)
    assert window.check(5).retry_after == 5


def test_a_dear_event_waits_for_as_many_as_it_needs():
    window = SlidingWindow(3, 10)
    for now in (0, 2, 4):
        window.check(now)
    assert window.check(5, cost=2).retry_after == 7


def test_a_dear_event_counts_fully():
    window = SlidingWindow(3, 10)
    assert window.check(0, cost=2).remaining == 1


def test_refused_events_are_not_counted():
    window = SlidingWindow(1, 10)
    window.check(0)
    window.check(5)
    assert window.check(10).allowed


def test_a_cost_beyond_the_limit_is_an_error():
    with pytest.raises(ValueError, match="never allowed"):
        SlidingWindow(2, 10).check(0, cost=3)


def test_a_window_is_idle_once_it_is_empty():
    window = SlidingWindow(2, 10)
    window.check(0)
    assert not window.is_idle(9)
    assert window.is_idle(10)


def test_fixed_windows_start_at_multiples():
    window = FixedWindow(1, 10)
    assert [window.check(now).allowed for now in (8, 9, 10)] == [True, False, True]


def test_fixed_windows_count_costs():
    window = FixedWindow(3, 10)
    assert window.check(0, cost=2).remaining == 1
    assert not window.check(0, cost=2).allowed


def test_fixed_windows_say_when_the_next_one_starts():
    window = FixedWindow(1, 10)
    window.check(23)
    assert window.check(24).retry_after == 6
