import io

import pytest
from rich.console import Console

from arena.report.compare import compare
from arena.report.rollup import rollup


@pytest.fixture
def pair(make_run):
    return make_run("base", {"suite": ["pfff", "ppff"]}), make_run("tuned", {"suite": ["pppf", "pppf"]})


def drawn(result, width=160):
    out = io.StringIO()
    Console(file=out, width=width).print(result.drawn())
    return out.getvalue()


def test_a_comparison_says_its_verdict_first(pair):
    lines = drawn(compare(*pair, "recipe")).splitlines()

    assert lines[0].startswith("tuned/aba407b8 (B) against base/cae66217 (A)")
    assert "suite: inconclusive (+37.5pp, exact p 0.5000)" in lines[2]
    assert "attributable: only factors under recipe differ" in lines[3]
    assert "Not reportable: with 2 moved tasks no p below 0.5 can be reached" in lines[4]


def test_a_rollup_has_a_line_a_run_and_one_a_comparison(pair):
    text = drawn(rollup(pair, [compare(*pair, "recipe")]))

    assert text.index("tuned") < text.index("base")
    assert "tuned against base" in text
    assert "75.0%" in text
    assert "25.0% (0 v 1)" in text
    assert "inconclusive" in text


def test_a_narrow_terminal_cuts_no_name_and_no_interval(make_run):
    text = drawn(rollup([make_run("a-cell-with-a-long-name", {"suite": ["pppf", "pppf"]})]), width=80)

    assert "a-cell-with-a-long-name" in text
    assert "…" not in text


def test_markup_in_a_name_is_text(make_run):
    assert "[red]x[/red]" in drawn(rollup([make_run("[red]x[/red]", {"suite": ["p"]})]))


def test_no_runs_say_how_to_make_one():
    assert "arena run cell" in drawn(rollup([]))
