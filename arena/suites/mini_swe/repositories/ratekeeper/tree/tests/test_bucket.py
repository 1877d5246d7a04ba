import pytest

from ratekeeper.bucket import TokenBucket


def allowed(bucket, *times):
    return [bucket.check(now).allowed for now in times]


def test_a_full_bucket_allows_a_burst():
    assert allowed(TokenBucket(1, 3, 0), 0, 0, 0, 0) == [True, True, True, False]


def test_tokens_come_back_at_the_rate():
    bucket = TokenBucket(2, 1, 0)
    assert allowed(bucket, 0, 0.25, 0.5) == [True, False, True]


def test_a_bucket_does_not_overflow():
    bucket = TokenBucket(1, 2, 0)
    assert allowed(bucket, 100, 100, 100) == [True, True, False]


def test_the_waiting_time_is_what_the_missing_tokens_take():
    bucket = TokenBucket(0.5, 1, 0)
    bucket.check(0)
    assert bucket.check(1).retry_after == pytest.approx(1.0)


def test_an_allowed_event_need_not_wait():
    assert TokenBucket(1, 1, 0).check(0).retry_after == 0


def test_waiting_as_told_is_enough():
    bucket = TokenBucket(3, 1, 0)
    bucket.check(0)
    assert bucket.check(bucket.check(0.1).retry_after + 0.1).allowed


def test_the_remaining_tokens_are_counted():
    bucket = TokenBucket(1, 3, 0)
    assert [bucket.check(0).remaining for _ in range(3)] == [2, 1, 0]


def test_events_may_cost_more():
    bucket = TokenBucket(1, 5, 0)
    assert [bucket.check(0, cost=2).allowed for _ in range(3)] == [True, True, False]


def test_a_refused_event_takes_nothing():
    bucket = TokenBucket(1, 5, 0)
    bucket.check(0, cost=4)
    bucket.check(0, cost=2)
    assert bucket.check(0).allowed


def test_a_cost_beyond_the_capacity_is_an_error():
    with pytest.raises(ValueError, match="never allowed"):
        TokenBucket(1, 2, 0).check(0, cost=3)


def test_a_cost_of_the_whole_capacity_is_allowed():
    assert TokenBucket(1, 2, 0).check(0, cost=2).allowed


def test_a_clock_that_goes_back_adds_nothing():
    bucket = TokenBucket(1, 2, 10)
    bucket.check(10)
    assert bucket.check(5).remaining == 0


@pytest.mark.parametrize(("rate", "capacity"), [(0, 1), (1, 0), (-1, 1)])
def test_rate_and_capacity_are_above_zero(rate, capacity):
    with pytest.raises(ValueError, match="above 0"):
        TokenBucket(rate, capacity, 0)


def test_a_bucket_is_idle_once_it_is_full():
    bucket = TokenBucket(1, 2, 0)
    bucket.check(0)
    assert not bucket.is_idle(0.5)
    assert bucket.is_idle(1)
