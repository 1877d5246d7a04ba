import pytest

from inilite import loads
from inilite.references import escape, split_reference

TEXT = """
[paths]
root = /srv
data = ${root}/data
logs = ${data}/logs

[backup]
source = ${paths.data}
root = /backup
target = ${root}/now
"""


def test_a_reference_is_replaced():
    assert loads(TEXT).section("paths").get("data") == "/srv/data"


def test_references_are_followed():
    assert loads(TEXT).section("paths").get("logs") == "/srv/data/logs"


def test_a_reference_may_name_a_section():
    assert loads(TEXT).section("backup").get("source") == "/srv/data"


def test_a_reference_without_a_section_stays_in_its_own():
    assert loads(TEXT).section("backup").get("target") == "/backup/now"


def test_a_section_name_may_hold_dots():
    assert split_reference("a.b.key", "here") == ("a.b", "key")


def test_two_dollar_signs_are_one():
    assert loads("[a]\nprice = 5 $$").section("a").get("price") == "5 $"


def test_a_reference_to_nothing_is_an_error():
    with pytest.raises(KeyError, match="names nothing"):
        loads("[a]\nb = ${c}").section("a").get("b")


def test_a_circle_of_references_is_refused():
    with pytest.raises(ValueError, match="circle"):
        loads("[a]\nb = ${c}\nc = ${b}").section("a").get("b")


def test_escaped_text_comes_back():
    document = loads("[a]\nkey = x")
    document.section("a").set("key", escape("${b} $1"))
    assert document.section("a").get("key") == "${b} $1"


def test_a_reference_is_inherited_with_its_value():
    text = "[base]\nname = x\nlabel = <${name}>\n[child : base]\nname = y\n"
    assert loads(text).section("child").get("label") == "<y>"
