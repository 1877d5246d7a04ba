import csv
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from arena.errors import ArenaError, UsageError
from arena.report.site.lock import files
from arena.report.site.publish import publish
from arena.spec.factors import UNRECORDED, Factor


class Page(HTMLParser):
    """What a page refers to, and what could run or be fetched from it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.add(value or "")
            if name in ("href", "src"):
                self.links.append(value or "")


def pages(out: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in out.rglob("*.html") if "inspect" not in path.relative_to(out).parts}


def test_a_board_has_a_page_for_every_run_panel_and_comparison(board):
    out, published = board.folder, board.published

    assert (published.runs, published.panels, published.comparisons, published.logs) == (2, 2, 1, 2)
    assert sorted(path.relative_to(out).as_posix() for path in pages(out)) == [
        "cells/base-cae66217.html",
        "cells/tuned-aba407b8.html",
        "comparisons/01-tuned-aba407b8-against-base-cae66217.html",
        "episodes/base-cae66217/suite.html",
        "episodes/tuned-aba407b8/suite.html",
        "index.html",
    ]


def test_every_link_leads_to_a_file_and_a_place_that_are_there(board):
    out = board.folder
    parsed = pages(out)
    checked = 0
    for path, page in parsed.items():
        for link in page.links:
            if link.startswith("data:"):
                continue
            target, _, place = link.partition("#")
            file = (path.parent / target).resolve() if target else path.resolve()
            assert file.is_file(), (path, link)
            if place.startswith("/logs/"):
                log = unquote(place).split("/samples/")[0].removeprefix("/")
                assert (file.parent / log).is_file(), link
            elif place:
                assert place in parsed[file].ids, (path, link)
            checked += 1
    assert checked > 100


def test_each_figure_links_to_its_episodes(board):
    out = board.folder
    index = Page(out / "index.html")

    assert "episodes/tuned-aba407b8/suite.html#grade-pass" in index.links
    assert "episodes/base-cae66217/suite.html#grade-unscored" in index.links


def test_a_filter_shows_exactly_the_episodes_that_its_figure_counts(board):
    out = board.folder
    text = (out / "episodes/base-cae66217/suite.html").read_text()
    rows = re.findall(r'<tr id="e\d+" class="row ([^"]*)"', text)

    assert sum("grade-pass" in row.split() for row in rows) == 2
    assert sum("grade-unscored" in row.split() for row in rows) == 1
    assert (
        "#grade-pass:target ~ .scroll .row:not(.grade-pass) { display: none }"
        in (out / "assets/filters.css").read_text()
    )


def test_each_episode_with_a_log_opens_in_inspects_viewer(board):
    views = [
        link for link in Page(board.folder / "episodes/tuned-aba407b8/suite.html").links if "inspect/index" in link
    ]

    assert len(views) == 8
    assert views[0] == (
        "../../inspect/index.html#/logs/tuned/aba407b8/evals/suite/r1/a1.eval/samples/sample/repo-000/1/"
    )
    listing = (board.folder / "inspect/logs/listing.json").read_text()
    assert "tuned/aba407b8/evals/suite/r2/a1.eval" in listing


def test_nothing_on_a_page_can_run_or_come_from_elsewhere(board):
    for path, page in pages(board.folder).items():
        text = path.read_text()
        assert "script" not in page.tags, path
        assert "style" not in page.attributes, path
        assert not [name for name in page.attributes if name.startswith("on")], path
        assert not [link for link in page.links if link.startswith(("http", "//", "javascript:"))], path
        assert "default-src 'none'" in text


def test_hostile_text_is_text(make_run, make_episode, tmp_path):
    evil = "<script>alert(1)</script>\"'&"
    run = make_run(
        "base",
        {"suite": ["p"]},
        tasks=(evil,),
        change=lambda e: replace(e, tier=evil, grade="fail", reason=evil, log_file="none.eval"),
        factors=(Factor("recipe.note", evil, "design"),),
    )
    publish([replace(run, message=evil, status="stopped")], tmp_path / "board", title=evil)

    for path, page in pages(tmp_path / "board").items():
        assert "script" not in page.tags, path
        assert "<script>alert" not in path.read_text()
    assert "&lt;script&gt;alert(1)" in (tmp_path / "board" / "cells" / "base-cae66217.html").read_text()


def test_a_reason_that_looks_like_a_formula_is_none_in_a_spreadsheet(make_run, tmp_path):
    run = make_run("base", {"suite": ["f"]}, change=lambda e: replace(e, reason="=cmd()"))
    publish([run], tmp_path / "board")

    with (tmp_path / "board/data/base/cae66217/episodes.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["reason"] == "'=cmd()"


def test_the_same_records_give_the_same_bytes(board, tmp_path):
    claims = board.runs[0].folder.parent.parent
    publish(board.runs, tmp_path / "again", questions=board.questions, claims=claims, title="A board")

    assert {name: (tmp_path / "again" / name).read_bytes() for name in files(tmp_path / "again")} == {
        name: (board.folder / name).read_bytes() for name in files(board.folder)
    }


def test_where_the_logs_lay_on_this_machine_is_not_published(board):
    for name in files(board.folder):
        if not name.endswith((".eval", ".parquet")):
            assert str(board.folder.parent).encode() not in (board.folder / name).read_bytes(), name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"status": "running"}, "still running; wait for it, or publish it as it stands with --allow-partial"),
        ({"factors": (Factor("harness.plugins.mine.source", UNRECORDED, "design"),)}, "not reproducible: harness.plug"),
        ({"factors": ()}, "has no factors.json"),
        ({"cell": "../../etc"}, "cannot be a folder's"),
        ({"panels": (), "episodes": ()}, "has no panel"),
    ],
)
def test_what_could_not_be_reproduced_is_refused(make_run, tmp_path, change, said):
    run = replace(make_run("base", {"suite": ["pf"]}), **change)

    with pytest.raises(ArenaError, match=re.escape(said)):
        publish([run], tmp_path / "board")
    assert not (tmp_path / "board").exists()
    assert not list(tmp_path.glob(".board*"))


@pytest.mark.parametrize(
    ("column", "said"), [("weights_digest", "weights is unrecorded"), ("harness_digest", "harness")]
)
def test_episodes_of_unrecorded_weights_or_harness_are_refused(make_run, tmp_path, column, said):
    run = make_run("base", {"suite": ["pf"]}, change=lambda e: replace(e, **{column: UNRECORDED}))

    with pytest.raises(ArenaError, match=said):
        publish([run], tmp_path / "board")


def test_nothing_is_published_of_nothing(tmp_path):
    with pytest.raises(ArenaError, match="nothing to publish"):
        publish([], tmp_path / "board")


def test_a_running_run_can_be_published_and_is_marked(make_run, tmp_path):
    run = make_run("base", {"suite": ["pf.."]}, status="running")
    publish([run], tmp_path / "board", allow_partial=True)
    text = (tmp_path / "board/index.html").read_text()

    assert "run running" in text
    assert "partial (2 of 4)" in text
    assert 'data-label="Rank">—<' in text


def test_a_log_outside_of_its_run_is_refused(make_run, tmp_path):
    run = make_run("base", {"suite": ["pf"]}, change=lambda e: replace(e, log_file="../../../secret.eval"))

    with pytest.raises(ArenaError, match="outside of its run"):
        publish([run], tmp_path / "board")


def test_a_board_is_replaced_and_another_folder_is_not(copy, make_run, tmp_path):
    publish([make_run("base", {"suite": ["pfff"]})], copy)
    assert not (copy / "comparisons").exists()

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(UsageError, match="not a board"):
        publish([make_run("base", {"suite": ["pfff"]})], tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.tex").exists()


def test_figures_are_files_beside_the_pages_that_show_them(board):
    there = sorted(path.name for path in (board.folder / "figures").glob("*.svg"))
    index = (board.folder / "index.html").read_text()
    (comparison,) = (board.folder / "comparisons").glob("*.html")

    assert there == ["discordance.svg", "forest.svg", "paired-01-suite.svg", "ranks-01.svg"]
    assert all(f'src="figures/{name}"' in index for name in there if not name.startswith("paired"))
    assert 'src="../figures/paired-01-suite.svg"' in comparison.read_text()


def test_a_board_shows_every_locked_claim(board):
    index = (board.folder / "index.html").read_text()

    assert "tuned is better than base" in index
    assert "every one that was locked" in index
