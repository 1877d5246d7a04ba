import json
import shutil
from dataclasses import replace

import pytest

from arena.errors import RecordError
from arena.records.table import read_episodes, write_episodes
from arena.report.site.data import read_runs
from arena.report.site.lock import write_lock
from arena.report.site.publish import publish
from arena.report.site.verify import verify

TABLE = "data/base/cae66217/episodes.parquet"


def places(found):
    return [difference.where for difference in found.differences]


def relock(out):
    """What a forger does: lock again what was changed."""
    write_lock(out, read_runs(out))


def turn_a_failure_into_a_pass(path):
    rows = list(read_episodes(path))
    index = next(i for i, row in enumerate(rows) if row.grade == "fail")
    rows[index] = replace(rows[index], grade="pass", reason=None)
    write_episodes(path, rows)


def test_a_board_as_published_holds(board):
    found = verify(board.folder)

    assert found.holds, found.differences
    assert found.figures > 300
    assert found.files == board.published.files
    assert found.episodes == 8


def test_a_copied_board_holds_anywhere(copy):
    assert verify(copy).holds


def test_a_changed_figure_is_found_even_if_it_is_locked_again(copy):
    path = copy / "leaderboard.json"
    form = json.loads(path.read_text())
    form["rows"][0]["panel"]["rate"] = 0.99
    path.write_text(json.dumps(form))
    relock(copy)
    (difference,) = verify(copy).differences

    assert difference.where == "leaderboard.json:rows[0]:panel:rate"
    assert (difference.published, difference.computed) == ("0.99", "0.625")


def test_a_changed_page_is_found_even_if_it_is_locked_again(copy):
    path = copy / "index.html"
    path.write_text(path.read_text().replace("62.5%", "92.5%"))
    relock(copy)

    assert places(verify(copy)) == ["index.html"]


def test_a_changed_episode_changes_figures_pages_and_digests(copy):
    turn_a_failure_into_a_pass(copy / TABLE)
    found = places(verify(copy))

    assert TABLE in found
    assert "index.html" in found
    assert any(place.endswith(":passed") for place in found)


def test_an_episode_that_its_log_contradicts_is_found_though_everything_else_agrees(copy, tmp_path):
    forged = read_runs(copy)
    turn_a_failure_into_a_pass(copy / "data/tuned/aba407b8/episodes.parquet")
    forged = read_runs(copy)
    for run in forged:
        shutil.copytree(copy / "inspect/logs" / run.id, run.folder, dirs_exist_ok=True) if run.cell == "tuned" else 0
    publish(forged, tmp_path / "forged")
    found = verify(tmp_path / "forged")

    assert [(one.where, one.published) for one in found.differences] == [
        ("tuned/aba407b8 suite/repo-002/r1/a1", "grade pass, reason None")
    ]
    assert found.differences[0].computed == "grade fail, reason tests_failed"


def test_a_missing_and_an_additional_file_are_found(copy):
    (copy / "data/base/cae66217/episodes.csv").unlink()
    (copy / "notes.txt").write_text("hello")

    assert places(verify(copy)) == ["data/base/cae66217/episodes.csv", "notes.txt"]


def test_a_folder_that_is_no_board_is_refused(tmp_path):
    with pytest.raises(RecordError, match="not a published board"):
        verify(tmp_path)


def test_a_claim_whose_text_was_changed_on_the_board_is_found(copy):
    ledger = copy / "data" / "claims.jsonl"
    ledger.write_text(ledger.read_text().replace('"direction": "improves"', '"direction": "regresses"'))
    relock(copy)

    assert "leaderboard.json:claims[0]:says" in places(verify(copy))


def test_a_changed_figure_is_found(copy):
    figure = copy / "figures" / "forest.svg"
    figure.write_text(figure.read_text().replace("<svg", "<svg ", 1))

    assert places(verify(copy)) == ["figures/forest.svg"]
