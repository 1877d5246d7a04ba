import pytest

from cronmatch import parse
from cronmatch.words import describe, join, ordinal, short_days

SENTENCES = {
    "minute": ("* * * * *", "every minute"),
    "time": ("30 6 * * *", "at 06:30"),
    "times": ("0 6,18 * * *", "at 06:00 and 18:00"),
    "hour": ("5 * * * *", "every hour at minute 5"),
    "many": ("*/15 8-9 * * *", "8 times a day from 08:00 to 09:45"),
    "weekdays": ("0 9 * * mon,fri", "at 09:00 on Monday and Friday"),
    "days": ("0 9 1,15 * *", "at 09:00 on the 1st and 15th"),
    "either": ("0 9 13 * fri", "at 09:00 on the 13th or on Friday"),
    "months": ("0 9 * jan,jul *", "at 09:00 in Jan and Jul"),
    "all": ("0 9 2 mar *", "at 09:00 on the 2nd in Mar"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences(name):
    text, sentence = SENTENCES[name]
    assert describe(parse(text)) == sentence


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (13, "13th"), (21, "21st")]
)
def test_ordinals(number, text):
    assert ordinal(number) == text


@pytest.mark.parametrize(("words", "text"), [("a", "a"), ("ab", "a and b"), ("abc", "a, b and c")], ids="123")
def test_words_are_joined(words, text):
    assert join(list(words)) == text


@pytest.mark.parametrize(
    ("days", "text"), [({1, 2, 3, 4, 5}, "mon-fri"), ({0, 6}, "sun,sat"), ({1, 2, 4}, "mon,tue,thu")], ids="abc"
)
def test_days_are_written_short(days, text):
    assert short_days(frozenset(days)) == text
