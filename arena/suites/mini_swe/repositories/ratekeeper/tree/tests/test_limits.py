import pytest

from ratekeeper.limits import Limit, format_limit, parse_limit, parse_period


@pytest.mark.parametrize(
    ("text", "seconds"), [("second", 1), ("minute", 60), ("hour", 3600), ("day", 86400), ("hours", 3600)]
)
def test_periods_are_words(text, seconds):
    assert parse_period(text) == seconds


@pytest.mark.parametrize(("text", "seconds"), [("s", 1), ("30s", 30), ("5m", 300), ("2h", 7200), ("d", 86400)])
def test_periods_are_numbers_with_units(text, seconds):
    assert parse_period(text) == seconds


@pytest.mark.parametrize("text", ["5x", "fortnight", "xm"])
def test_unknown_periods_are_refused(text):
    with pytest.raises(ValueError, match="unknown period"):
        parse_period(text)


def test_limits():
    assert parse_limit("10/minute") == Limit(10, 60)


def test_limits_may_have_blanks_and_capitals():
    assert parse_limit(" 10 / Minute ") == Limit(10, 60)


def test_limits_may_have_a_burst():
    assert parse_limit("10/s burst 3") == Limit(10, 1, 3)


@pytest.mark.parametrize("text", ["", "10", "/s", "10/s\tburst", "ten/s"])
def test_nonsense_is_refused(text):
    with pytest.raises(ValueError, match="expected COUNT/PERIOD"):
        parse_limit(text)


def test_limits_of_zero_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        parse_limit("0/s")


def test_the_rate_is_events_a_second():
    assert Limit(30, 60).rate == 0.5


@pytest.mark.parametrize("text", ["10/1m", "1/90s", "100/5m", "3/2d", "7/36h"])
def test_limits_are_written_as_they_are_read(text):
    assert format_limit(parse_limit(text)) == text


def test_bursts_are_written():
    assert format_limit(Limit(10, 1, 3)) == "10/1s burst 3"
