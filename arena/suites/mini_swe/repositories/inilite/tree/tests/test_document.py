import pytest

from inilite import Document
from inilite.values import as_integer


def family():
    document = Document()
    document.add("base").set("port", "80")
    document.section("base").set("host", "localhost")
    document.add("web", "base").set("port", "8080")
    document.add("shop", "web").set("name", "shop")
    return document


def test_keys_are_found_in_any_case():
    assert family().section("base").get("PORT") == "80"


def test_own_values_win_over_inherited_ones():
    assert family().section("web").get("port") == "8080"


def test_values_are_inherited_over_two_generations():
    assert family().section("shop").get("host") == "localhost"


def test_the_nearest_parent_wins():
    assert family().section("shop").get("port") == "8080"


def test_values_are_converted():
    assert family().section("web").get("port", as_integer) == 8080


def test_a_missing_value_is_the_default():
    assert family().section("web").get("user", as_integer, 7) == 7


def test_a_missing_value_without_a_default_is_none():
    assert family().section("web").get("user") is None


def test_keys_list_the_oldest_first():
    assert family().section("shop").keys() == ["port", "host", "name"]


def test_a_circle_of_parents_is_refused():
    document = Document()
    document.add("a", "b")
    document.add("b", "a")
    with pytest.raises(ValueError, match="circle"):
        document.section("a").get("key")


def test_eight_parents_are_allowed():
    document = Document()
    document.add("s0").set("key", "value")
    for number in range(1, 9):
        document.add(f"s{number}", f"s{number - 1}")
    assert document.section("s8").get("key") == "value"


def test_a_missing_section_says_what_there_is():
    with pytest.raises(KeyError, match="base, shop, web"):
        family().section("wob")


def test_adding_a_section_again_keeps_its_values():
    document = family()
    document.add("web").set("user", "x")
    assert document.section("web").get("port") == "8080"


def test_adding_a_section_again_keeps_its_parent():
    document = family()
    document.add("web")
    assert document.section("web").parent == "base"


def test_merging_overrides_values():
    document, other = family(), Document()
    other.add("web").set("port", "9090")
    document.merge(other)
    assert document.section("web").get("port") == "9090"


def test_merging_keeps_what_the_other_does_not_have():
    document, other = family(), Document()
    other.add("web").set("user", "x")
    document.merge(other)
    assert document.section("web").get("port") == "8080"
    assert document.section("web").get("user") == "x"


def test_merging_adds_sections_with_their_parents():
    document, other = family(), Document()
    other.add("new", "base")
    document.merge(other)
    assert len(document) == 4
    assert document.section("new").get("host") == "localhost"
