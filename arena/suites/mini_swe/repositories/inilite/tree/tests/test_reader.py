import pytest

from inilite import IniError, loads


def test_sections_and_values_are_read():
    document = loads("[server]\nhost = localhost\nport = 80\n")
    assert document.section("server").keys() == ["host", "port"]


def test_blank_lines_and_comments_are_skipped():
    document = loads("# top\n\n[a]\n; note\nb = 1\n")
    assert document.section("a").get("b") == "1"


def test_values_before_a_section_are_in_the_default_one():
    assert loads("a = 1\n").section("default").get("a") == "1"


def test_indented_lines_go_on_with_a_value():
    assert loads("[a]\nb = 1\n  2\n  3\n").section("a").get("b") == "1\n2\n3"


def test_values_of_keys_with_capitals_go_on():
    assert loads("[a]\nKey = 1\n  2\n").section("a").get("key") == "1\n2"


def test_an_indented_comment_goes_on_with_nothing():
    assert loads("[a]\nb = 1\n  # note\n  2\n").section("a").get("b") == "1\n2"


def test_a_value_may_start_on_the_next_line():
    assert loads("[a]\nb =\n  1\n").section("a").get("b") == "\n1"


def test_comments_are_cut_from_indented_lines():
    assert loads("[a]\nb = 1\n  2 # two\n").section("a").get("b") == "1\n2"


def test_an_indented_line_after_a_section_is_an_error():
    with pytest.raises(IniError, match="line 4: an indented line"):
        loads("[a]\nb = 1\n[c]\n  2\n")


def test_a_line_without_an_equals_sign_is_an_error():
    with pytest.raises(IniError) as caught:
        loads("[a]\n\nnonsense\n")
    assert caught.value.number == 3


def test_quotes_keep_blanks():
    assert loads("[a]\nb = '  x '\n").section("a").get("b") == "  x "


def test_quotes_keep_marks():
    assert loads('[a]\nb = "x # y" # note\n').section("a").get("b") == "x # y"


def test_a_section_may_be_continued_later():
    document = loads("[a]\nb = 1\n[c]\n[a]\nd = 2\n")
    assert document.section("a").keys() == ["b", "d"]


def test_inheritance_is_read():
    document = loads("[base]\nport = 80\n[web : base]\n")
    assert document.section("web").get("port") == "80"
