from types import SimpleNamespace

import pytest

from stencilet.values import MISSING, Raw, escape, find, write

VALUES = {"user": {"name": "Ada"}, "items": ["a", "b"], "point": SimpleNamespace(x=1, _y=2)}


@pytest.mark.parametrize(("path", "value"), [("user.name", "Ada"), ("items.1", "b"), ("point.x", 1)])
def test_paths_lead_to_values(path, value):
    assert find(VALUES, path) == value


@pytest.mark.parametrize("path", ["nobody", "user.age", "items.2", "user.name.first.letter", "point._y", "items.x"])
def test_other_paths_lead_nowhere(path):
    assert find(VALUES, path) is MISSING


def test_keys_may_be_private():
    assert find({"a": {"_b": 1}}, "a._b") == 1


def test_what_is_missing_is_empty_and_false():
    assert str(MISSING) == ""
    assert not MISSING
    assert list(MISSING) == []


@pytest.mark.parametrize(
    ("value", "text"), [(1, "1"), (2.0, "2"), (2.5, "2.5"), (None, ""), (MISSING, ""), (True, "True"), (0, "0")]
)
def test_values_are_written(value, text):
    assert write(value) == text


def test_texts_are_escaped():
    assert write("<a href=\"x\">'&'</a>") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;"


def test_raw_texts_are_not():
    assert write(Raw("<b>")) == "<b>"


def test_escaping_is_not_done_twice_by_itself():
    assert escape("&lt;") == "&amp;lt;"
