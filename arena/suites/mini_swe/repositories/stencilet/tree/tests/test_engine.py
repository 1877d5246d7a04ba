import pytest

from stencilet import Engine, TemplateError
from stencilet.engine import folder


def render(text, /, **values):
    return Engine({"page": text}).render("page", **values)


def test_values_are_put_in():
    assert render("Hello {{ name }}!", name="Ada") == "Hello Ada!"


def test_values_are_escaped():
    assert render("{{ a }}", a="<b>") == "&lt;b&gt;"


def test_raw_values_are_not():
    assert render("{{ a | raw }}", a="<b>") == "<b>"


def test_missing_values_are_empty():
    assert render("[{{ a.b }}]") == "[]"


def test_filters_are_applied_from_left_to_right():
    assert render("{{ a | upper | truncate:5 }}", a="abcdef") == "AB..."


def test_filters_take_arguments():
    assert render("{{ a | join:' + ' }}", a=[1, 2]) == "1 + 2"


def test_arguments_may_hold_colons():
    assert render("{{ a | join:': ' }}", a=[1, 2]) == "1: 2"


def test_a_filter_after_a_filter_has_its_own_argument():
    assert render("{{ a | default:'nothing' | upper }}") == "NOTHING"


@pytest.mark.parametrize(("value", "text"), [(True, "yes"), (0, "no"), ("", "no"), ([0], "yes")], ids="abcd")
def test_conditions(value, text):
    assert render("{% if a %}yes{% else %}no{% end %}", a=value) == text


def test_conditions_on_missing_values():
    assert render("{% if a %}yes{% end %}no") == "no"


def test_negated_conditions():
    assert render("{% if not a %}yes{% else %}no{% end %}", a=0) == "yes"


def test_loops():
    assert render("{% for x in a %}{{ x }};{% end %}", a=[1, 2]) == "1;2;"


def test_loops_are_counted_from_one():
    assert render("{% for x in a %}{{ loop.index }}{% end %}", a="abc") == "123"


def test_loops_know_their_ends():
    text = "{% for x in a %}{% if loop.first %}<{% end %}{{ x }}{% if loop.last %}>{% end %}{% end %}"
    assert render(text, a=[1, 2, 3]) == "<123>"


def test_loops_over_nothing():
    assert render("{% for x in a %}{{ x }}{% else %}none{% end %}", a=[]) == "none"


def test_loops_over_missing_values():
    assert render("{% for x in a %}{{ x }}{% else %}none{% end %}") == "none"


def test_loops_leave_outer_values_alone():
    assert render("{% for x in a %}{{ x }}{% end %}{{ x }}", a=[1], x="outer") == "1outer"


def test_blocks_are_nested():
    text = "{% for row in rows %}{% for x in row %}{{ x }},{% end %}{{ loop.index }};{% end %}"
    assert render(text, rows=[[1, 2], [3]]) == "1,2,1;3,2;"


def test_comments_are_left_out():
    assert render("a{# b #}c") == "ac"


def test_dashes_take_white_space_away():
    assert render("{% for x in a -%}\n  {{ x }}\n{%- end %}", a=[1, 2]) == "12"


def test_includes_see_the_same_values():
    engine = Engine({"page": "{% for x in a %}{% include row %}{% end %}", "row": "<{{ x }}>"})
    assert engine.render("page", a=[1, 2]) == "<1><2>"


def test_circles_of_includes_are_refused():
    engine = Engine({"a": "{% include b %}", "b": "\n{% include a %}"})
    with pytest.raises(TemplateError, match="deeper than 16; is there a circle"):
        engine.render("a")


def test_deep_includes_are_fine():
    templates = {f"t{number}": f"{{% include t{number + 1} %}}" for number in range(16)}
    assert Engine({**templates, "t16": "end"}).render("t0") == "end"


def test_missing_templates_are_named():
    with pytest.raises(KeyError, match="no template 'x'; there are page"):
        Engine({"page": ""}).render("x")


def test_shared_values():
    engine = Engine({"page": "{{ site }} {{ user }}"}, site="S", user="nobody")
    assert engine.render("page", user="Ada") == "S Ada"


def test_templates_are_parsed_once_until_cleared():
    source = {"page": "a"}
    engine = Engine(source)
    engine.render("page")
    source["page"] = "b"
    assert engine.render("page") == "a"
    engine.clear()
    assert engine.render("page") == "b"


def test_templates_from_a_folder(tmp_path):
    (tmp_path / "page.html").write_text("{{ a }}")
    assert Engine(folder(tmp_path)).render("page", a=1) == "1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n{% if a %}", "line 2: this block has no end"),
        ("{% end %}", "line 1: end stands in no block"),
        ("{% else %}", "line 1: else stands in no block"),
        ("{% if a %}{% else %}{% else %}{% end %}", "line 1: the block has an else already"),
        ("{% while a %}", "line 1: 'while a' is no block"),
        ("{{ }}", "line 1: there is nothing"),
        ("\n\n{{ a | shout }}", "line 3: unknown filter 'shout'; there are default, join"),
    ],
    ids=["open", "end", "else", "twice", "unknown", "nothing", "filter"],
)
def test_mistakes_are_named_with_their_line(text, message):
    with pytest.raises(TemplateError, match=message):
        render(text)


def test_a_filter_that_does_not_suit_is_named():
    with pytest.raises(TemplateError, match="line 1: filter round does not suit a"):
        render("{{ a | round:2 }}", a="x")
