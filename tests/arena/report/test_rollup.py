import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.records.claims import ArmState, ClaimLedger
from arena.records.run import save_run
from arena.report.compare import compare
from arena.report.rollup import decided, latest_runs, rollup
from arena.spec.claim import Claim
from arena.spec.sample import resolve_sample
from arena.suites.calibration import solved_by

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def board(make_run):
    base = make_run("base", {"suite": ["pfff", "ppff"]})
    tuned = make_run("tuned", {"suite": ["pppf", "pppf"]})
    part = make_run("part", {"suite": ["ppf.", "...."]})
    return rollup([base, tuned, part], [compare(base, tuned, "recipe")])


def test_the_markdown_is_as_published(board):
    assert board.to_markdown() == (GOLDEN / "rollup.md").read_text(encoding="utf-8")


def test_a_comparisons_markdown_is_as_published(board):
    assert board.comparisons[0].to_markdown() == (GOLDEN / "comparison.md").read_text(encoding="utf-8")


def test_a_partial_panel_is_marked_and_never_ranked(board):
    last = board.rows[-1]

    assert (last.cell, last.rank, last.panel.rate) == ("part", None, pytest.approx(2 / 3))
    assert "partial (3 of 8)" in board.to_markdown()


def test_equal_rates_share_a_rank(make_run):
    rows = rollup([make_run(cell, {"suite": ["pf"]}) for cell in ("a", "b")] + [make_run("c", {"suite": ["ff"]})]).rows

    assert [(row.cell, row.rank) for row in rows] == [("a", 1), ("b", 1), ("c", 3)]


def test_a_running_run_has_no_rank_though_its_panel_is_complete(make_run):
    (row,) = rollup([make_run("a", {"suite": ["pf"]}, status="running")]).rows

    assert row.rank is None
    assert "run running" in rollup([make_run("a", {"suite": ["pf"]}, status="running")]).to_markdown()


def test_panels_of_different_samples_never_share_a_table(make_run):
    small, large = make_run("small", {"suite": ["pf"]}), make_run("large", {"other": ["pf" * 2]})

    assert [len(rows) for rows in rollup([small, large]).panels] == [1, 1]


def test_the_json_is_json_and_a_missing_figure_is_null(make_run):
    form = json.loads(json.dumps(rollup([make_run("none", {"suite": ["nn"]})]).as_json(), allow_nan=False))

    assert form["rows"][0]["panel"]["rate"] is None
    assert form["rows"][0]["panel"]["usage"]["cost"] is None


def test_every_cells_newest_run_is_taken(make_run, tmp_path):
    make_run("b", {"suite": ["pf"]})
    make_run("a", {"suite": ["pf"]})

    assert [run.cell for run in latest_runs(tmp_path / "runs")] == ["a", "b"]


def test_hostile_names_cannot_break_the_table(make_run):
    text = rollup([make_run("a|b", {"<b>suite</b>": ["pf"]})]).to_markdown()

    assert "a\\|b/" in text
    assert "<b>" not in text.replace("\\<", "")


def test_a_sample_of_known_tasks_is_shown_with_what_it_reads_too_low(make_run):
    sample = resolve_sample("seed0-250", solved_by()).ids
    board = rollup([make_run("base", {"swe_bench_verified": ["p" * 50 + "f" * 200]}, tasks=sample)])

    assert "public systems score -2.5pp on these 250 tasks against all 500" in board.to_markdown()
    assert board.as_json()["rows"][0]["panel"]["calibration"]["pool"] == 500


def test_a_run_that_a_claim_binds_is_shown_though_a_newer_one_is_there(make_run, tmp_path):
    root = tmp_path / "runs"
    nothing = {(cell, "suite"): ArmState(cell, None, 0, 0, 0, None) for cell in ("base", "tuned")}
    ledger = ClaimLedger(root)
    ledger.lock("study:one", [Claim(id="better", treatment="tuned", comparator="base", suite="suite")], nothing)
    base, first = make_run("base", {"suite": ["p" * 9 + "f" * 11]}), make_run("tuned", {"suite": ["f" * 9 + "p" * 11]})
    ledger.begin(first.id, nothing)
    again = replace(first, folder=root / "tuned" / "00000000", plan_digest="0" * 64, episodes=())
    save_run(again)
    shown = decided(compare(base, first, "recipe"), root)

    assert [run.id for run in latest_runs(root)] == [base.id, again.id, first.id]
    assert shown.panels[0].preregistered_decision == "does_not_resolve"
    assert decided(compare(first, base, "recipe"), root).panels[0].claims == ()
