import pytest

from stencilet import TemplateError
from stencilet.scanning import scan


def pieces(text):
    return [(piece.kind, piece.body) for piece in scan(text)]


def test_text_alone():
    assert pieces("a b") == [("text", "a b")]


def test_values_and_blocks():
    assert pieces("a{{ b }}{% c %}") == [("text", "a"), ("value", "b"), ("block", "c")]


def test_comments():
    assert pieces("{# note #}x") == [("comment", "note"), ("text", "x")]


def test_tags_may_go_over_lines():
    assert pieces("{{ a\n}}") == [("value", "a")]


def test_lone_braces_are_text():
    assert pieces("{a} % {") == [("text", "{a} % {")]


def test_a_dash_takes_the_white_space_before_it():
    assert pieces("a \n{{- b }} c") == [("text", "a"), ("value", "b"), ("text", " c")]


def test_a_dash_takes_the_white_space_after_it():
    assert pieces("a {{ b -}}\n c") == [("text", "a "), ("value", "b"), ("text", "c")]


def test_a_dash_takes_the_white_space_between_tags():
    assert pieces("{{ a -}} {{ b }}") == [("value", "a"), ("value", "b")]


def test_a_dash_reaches_the_next_text_only():
    assert pieces("{{ a -}} b {{ c }} d") == [("value", "a"), ("text", "b "), ("value", "c"), ("text", " d")]


def test_lines_are_counted_from_one():
    assert [piece.line for piece in scan("{{ a }}\n\n{{ b }}")] == [1, 1, 3]


def test_tags_end_as_they_start():
    with pytest.raises(TemplateError, match="line 2: .* starts and ends differently"):
        scan("\n{{ a %}")
