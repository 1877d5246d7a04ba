import pytest

from inilite.lines import (
    is_comment,
    is_continuation,
    is_section,
    parse_entry,
    section_names,
    strip_comment,
    unquote,
)


@pytest.mark.parametrize("line", ["# note", "; note", "   # indented"], ids=["hash", "semicolon", "indented"])
def test_comments_start_with_a_mark(line):
    assert is_comment(line)


def test_a_mark_inside_a_line_makes_no_comment():
    assert not is_comment("colour = #fff")


def test_an_empty_line_is_no_comment():
    assert not is_comment("")


def test_a_section_stands_in_brackets():
    assert is_section("[server]")
    assert is_section("  [server]  ")


def test_an_open_bracket_alone_is_no_section():
    assert not is_section("[server")


def test_a_closing_bracket_alone_is_no_section():
    assert not is_section("list = [1, 2]")


def test_continuations_are_indented_by_blanks_or_tabs():
    assert is_continuation("  more")
    assert is_continuation("\tmore")
    assert not is_continuation("more")


def test_a_section_has_a_name():
    assert section_names("[ server ]") == ("server", "")


def test_a_section_may_name_its_parent():
    assert section_names("[child : parent]") == ("child", "parent")


def test_keys_are_lower_case():
    assert parse_entry("Port = 80") == ("port", "80")


def test_the_first_equals_sign_ends_the_key():
    assert parse_entry("query = a=b") == ("query", "a=b")


def test_a_trailing_comment_is_cut():
    assert strip_comment("80 # the port") == "80"


def test_a_mark_without_a_blank_before_it_is_text():
    assert strip_comment("a#b") == "a#b"


def test_a_mark_in_quotes_is_text():
    assert strip_comment('"a # b"') == '"a # b"'


def test_a_comment_after_quotes_is_cut():
    assert strip_comment('"a" # b') == '"a"'


def test_a_tab_before_the_mark_will_do():
    assert strip_comment("80\t; the port") == "80"


@pytest.mark.parametrize("text", ['"a b"', "'a b'"], ids=["double", "single"])
def test_quotes_are_taken_off(text):
    assert unquote(text) == "a b"


def test_empty_quotes_are_an_empty_text():
    assert unquote('""') == ""


def test_a_lone_quote_stays():
    assert unquote('"') == '"'


def test_different_quotes_stay():
    assert unquote("\"a'") == "\"a'"
