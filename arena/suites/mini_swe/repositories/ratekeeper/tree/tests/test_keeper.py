import pytest

from ratekeeper import Decision, Keeper, Limit
from ratekeeper.decision import headers, strictest


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_keys_have_limits_of_their_own():
    keeper = Keeper("1/s", clock=Clock())
    assert [keeper.check(key).allowed for key in ("a", "a", "b")] == [True, False, True]


def test_a_limit_without_a_burst_is_a_sliding_window():
    clock = Clock()
    keeper = Keeper("2/10s", clock=clock)
    keeper.check("a")
    clock.now = 5
    keeper.check("a")
    clock.now = 9
    assert keeper.check("a").retry_after == 1


def test_a_limit_with_a_burst_is_a_bucket():
    clock = Clock()
    keeper = Keeper("60/minute burst 2", clock=clock)
    assert [keeper.check("a").allowed for _ in range(3)] == [True, True, False]
    clock.now = 1
    assert keeper.check("a").allowed


def test_limits_can_be_given_as_objects():
    assert Keeper(Limit(1, 1), clock=Clock()).check("a").allowed


def test_all_limits_have_to_be_kept():
    keeper = Keeper("5/s", "1/minute", clock=Clock())
    assert [keeper.check("a").allowed for _ in range(2)] == [True, False]


def test_a_keeper_needs_a_limit():
    with pytest.raises(ValueError, match="at least one limit"):
        Keeper()


def test_costs_are_passed_on():
    keeper = Keeper("3/s", clock=Clock())
    assert keeper.check("a", cost=2).remaining == 1


def test_idle_keys_are_forgotten():
    clock = Clock()
    keeper = Keeper("1/s", clock=clock)
    keeper.check("a")
    clock.now = 5
    keeper.check("b")
    keeper.sweep(5.5)
    assert list(keeper.limiters) == ["b"]


def test_a_key_is_kept_while_one_of_its_limits_remembers_it():
    clock = Clock()
    keeper = Keeper("1/s", "1/minute", clock=clock)
    keeper.check("a")
    keeper.sweep(5)
    assert len(keeper) == 1


def test_keys_are_swept_now_and_then():
    clock = Clock()
    keeper = Keeper("1000/s", clock=clock)
    keeper.check("old")
    clock.now = 10
    for _ in range(100):
        keeper.check("new")
    assert list(keeper.limiters) == ["new"]


def test_a_key_can_be_reset():
    keeper = Keeper("1/s", clock=Clock())
    keeper.check("a")
    keeper.reset("a")
    assert keeper.check("a").allowed


def test_resetting_an_unknown_key_is_fine():
    Keeper("1/s").reset("nobody")


def test_the_strictest_decision_counts():
    decisions = [Decision(True, 4), Decision(False, 0, 2.0), Decision(False, 1, 7.5)]
    assert strictest(decisions) == Decision(False, 0, 7.5)


def test_headers_tell_the_limit():
    assert headers(Decision(True, 4), 10) == {"X-RateLimit-Limit": "10", "X-RateLimit-Remaining": "4"}


def test_headers_tell_when_to_come_back():
    assert headers(Decision(False, 0, 1.2), 10)["Retry-After"] == "2"
