import pytest

from stencilet.filters import default, join, lines, plural, round_to, slug, truncate
from stencilet.values import MISSING, Raw


@pytest.mark.parametrize("value", [MISSING, None, ""], ids=["missing", "none", "empty"])
def test_the_default_for_nothing(value):
    assert default(value, "x") == "x"


@pytest.mark.parametrize("value", [0, False, "a", []], ids=["zero", "false", "text", "list"])
def test_other_values_are_kept(value):
    assert default(value, "x") == value


def test_long_texts_are_truncated():
    assert truncate("abcdefghij", "8") == "abcde..."


def test_texts_of_the_length_are_not():
    assert truncate("abcdefgh", "8") == "abcdefgh"


def test_no_blank_is_left_before_the_dots():
    assert truncate("abcd efghij", "8") == "abcd..."


def test_twenty_characters_by_default():
    assert truncate("x" * 30) == "x" * 17 + "..."


def test_values_are_joined():
    assert join(["a", 1, None]) == "a, 1, "


def test_joined_values_are_escaped():
    assert join(["<", Raw("<")], " & ") == "&lt; &amp; <"


@pytest.mark.parametrize(("count", "ending"), [(0, "s"), (1, ""), (2, "s")])
def test_plurals(count, ending):
    assert plural(count) == ending


def test_line_ends_become_breaks():
    assert lines("a\n<b>") == "a<br>\n&lt;b&gt;"


@pytest.mark.parametrize(("digits", "text"), [("0", "3"), ("2", "3.14")])
def test_numbers_are_rounded(digits, text):
    assert round_to(3.14159, digits) == text


@pytest.mark.parametrize(("text", "name"), [("Hello, World!", "hello-world"), ("--a--", "a"), ("C 3", "c-3")], ids="abc")
def test_slugs(text, name):
    assert slug(text) == name
