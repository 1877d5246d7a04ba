import pytest

from spantree import Span
from spantree.clock import format_length, format_span, format_time, parse_span, parse_time


@pytest.mark.parametrize(("text", "minutes"), [("00:00", 0), ("9:30", 570), ("24:00", 1440), ("7", 420)])
def test_times_are_read(text, minutes):
    assert parse_time(text) == minutes


@pytest.mark.parametrize("text", ["", "9:", "x", "9:3x"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="is no time; write it as 09:30"):
        parse_time(text)


@pytest.mark.parametrize("text", ["24:01", "9:60", "25"])
def test_times_are_within_a_day(text):
    with pytest.raises(ValueError, match="is no time of a day"):
        parse_time(text)


def test_spans_are_read():
    assert parse_span("09:30-11:00", "a") == Span(570, 660, "a")


def test_spans_may_have_blanks():
    assert parse_span("9 - 11") == Span(540, 660)


def test_spans_may_go_over_midnight():
    assert parse_span("22:00-06:00") == Span(1320, 1800)


def test_a_span_needs_a_dash():
    with pytest.raises(ValueError, match="is no span"):
        parse_span("9:30")


@pytest.mark.parametrize(("minutes", "text"), [(0, "00:00"), (570, "09:30"), (1440, "24:00"), (1500, "01:00")])
def test_times_are_written(minutes, text):
    assert format_time(minutes) == text


def test_spans_are_written():
    assert format_span(Span(1320, 1800)) == "22:00-06:00"


@pytest.mark.parametrize(("length", "text"), [(45, "45_min"), (60, "1_h"), (90, "1_h_30_min"), (0.5, "0_min")])
def test_lengths_are_written(length, text):
    assert format_length(Span(0, length)) == text.replace("_", " ")
