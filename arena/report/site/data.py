"""The records of a board: each run as the report reads it, so that anyone can compute every figure again."""

import csv
import shutil
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path

from arena.records.claims import LEDGER, ClaimLedger, LockedClaim
from arena.records.episode import Episode
from arena.records.files import read_json, whole_file, write_json
from arena.records.run import RunRecord, load_run, save_run
from arena.records.table import write_episodes
from arena.report.asked import Asked, answers
from arena.report.compare import Rules
from arena.report.json_form import Json, json_form
from arena.report.rollup import Rollup, rollup
from arena.report.site.layout import BOARD, DATA, data_folder

BOARD_VERSION = 1
AS_THEY_ARE = ("plan.json", "logs.jsonl")
"""Files of a run that are published unchanged, where it has them."""


def write_run(run: RunRecord, out: Path) -> None:
    """Write one run's records below `out`; the episode table also as CSV."""
    folder = out / data_folder(run)
    folder.mkdir(parents=True)
    save_run(replace(run, folder=folder))
    write_episodes(folder / "episodes.parquet", run.episodes)
    with whole_file(folder / "episodes.csv") as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Episode)])
        writer.writeheader()
        writer.writerows({key: _inert(value) for key, value in asdict(episode).items()} for episode in run.episodes)
    for name in AS_THEY_ARE:
        if (run.folder / name).is_file():
            shutil.copyfile(run.folder / name, folder / name)


def board_json(title: str, board: Rollup, questions: Sequence[Asked]) -> Json:
    """Return `leaderboard.json`: every published figure."""
    return {
        "board_version": BOARD_VERSION,
        "title": title,
        "asked": json_form(questions),
        **board.as_json(),
    }


def write_board(out: Path, form: Json) -> None:
    write_json(out / BOARD, form)


def read_runs(board: Path) -> tuple[RunRecord, ...]:
    """Return the runs of a published board, from its own files."""
    return tuple(load_run(index.parent) for index in sorted((board / DATA).glob("*/*/run.json")))


def read_questions(board: Path) -> tuple[str, tuple[Asked, ...]]:
    """Return a board's title and the comparisons that it shows."""
    form = read_json(board / BOARD)
    return form["title"], tuple(Asked(**{**one, "rules": Rules(**one["rules"])}) for one in form["asked"])


def copy_claims(root: Path, out: Path) -> None:
    """Publish the ledger of claims as it is; a board without claims has none."""
    if (root / LEDGER).is_file():
        (out / DATA).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / LEDGER, out / DATA / LEDGER)


def read_claims(board: Path) -> tuple[LockedClaim, ...]:
    return ClaimLedger(board / DATA).locked()


def compute(runs: Sequence[RunRecord], questions: Sequence[Asked], locks: Sequence[LockedClaim] = ()) -> Rollup:
    return rollup(runs, answers(questions, runs), locks)


def _inert(value: object) -> object:
    """Return a CSV cell that no spreadsheet takes for a formula: reasons may come from outside."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
