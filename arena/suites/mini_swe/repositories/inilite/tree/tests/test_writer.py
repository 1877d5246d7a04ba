import pytest

from inilite import Document, dumps, loads
from inilite.writer import quote


def document_of(**values):
    document = Document()
    for key, value in values.items():
        document.add("a").set(key, value)
    return document


def test_sections_are_written():
    assert dumps(document_of(b="1", c="2")) == "[a]\nb = 1\nc = 2\n"


def test_a_blank_line_separates_sections():
    assert dumps(loads("[a]\nb = 1\n[c]\nd = 2\n")) == "[a]\nb = 1\n\n[c]\nd = 2\n"


def test_parents_are_written():
    assert dumps(loads("[a]\n[b : a]\n")) == "[a]\n\n[b : a]\n"


def test_equals_signs_can_be_aligned():
    assert dumps(document_of(host="x", a="y"), align=True) == "[a]\nhost = x\na    = y\n"


def test_an_empty_section_can_be_aligned():
    assert dumps(loads("[a]\n"), align=True) == "[a]\n"


def test_further_lines_are_indented():
    assert dumps(document_of(b="1\n2")) == "[a]\nb = 1\n    2\n"


def test_text_with_a_double_quote_gets_single_ones():
    assert quote('say "x"') == "'say \"x\"'"


def test_other_text_gets_double_quotes():
    assert quote("it's") == '"it\'s"'


PROTECTED = {
    "blanks-before": "  x",
    "blank-after": "x ",
    "comment": "a # b",
    "other-comment": "a ; b",
    "quotes": '"x"',
    "lone-quote": "'",
}


@pytest.mark.parametrize("value", ["x", "", "a=b", "x#y", "1\n2"])
def test_plain_values_come_back(value):
    assert loads(dumps(document_of(b=value))).section("a").get("b") == value


@pytest.mark.parametrize("value", PROTECTED.values(), ids=PROTECTED.keys())
def test_protected_values_come_back(value):
    assert loads(dumps(document_of(b=value))).section("a").get("b") == value
