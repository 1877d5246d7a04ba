import pytest

from ratekeeper import delays
from ratekeeper.backoff import next_delay, parse_retry_after, spread, worst_case


def test_delays_double():
    assert list(delays(1, attempts=4)) == [1, 2, 4]


def test_delays_have_a_longest():
    assert list(delays(10, longest=30, attempts=5)) == [10, 20, 30, 30]


def test_delays_by_default():
    assert list(delays()) == [0.5, 1, 2, 4]


def test_one_attempt_has_no_delay():
    assert list(delays(attempts=1)) == []


def test_the_server_may_ask_for_more():
    assert next_delay(1, 5) == 5


def test_the_own_delay_counts_if_it_is_longer():
    assert next_delay(5, 1) == 5


def test_without_a_wish_of_the_server_the_own_delay_counts():
    assert next_delay(5, None) == 5


@pytest.mark.parametrize(("value", "seconds"), [("120", 120), ("5\n", 5), ("tomorrow", None), ("", None)])
def test_retry_after_is_read(value, seconds):
    assert parse_retry_after(value) == seconds


def test_the_worst_case_is_the_sum():
    assert worst_case(1, 2, 30, 4) == 7


@pytest.mark.parametrize(("random", "delay"), [(0, 8), (0.5, 10), (1, 12)])
def test_delays_are_spread(random, delay):
    assert spread(10, 0.2, random) == pytest.approx(delay)
