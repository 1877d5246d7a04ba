"""Publish a board: a folder of pages and records that needs nothing else, and that anyone can compute again."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.records.run import RunRecord
from arena.report.asked import Asked
from arena.report.json_form import Json, json_form
from arena.report.site.data import board_json, compute, copy_claims, read_claims, read_runs, write_board, write_run
from arena.report.site.drawings import captions, draw
from arena.report.site.gates import check_publishable
from arena.report.site.layout import LOCK
from arena.report.site.lock import files, write_lock
from arena.report.site.logs import copy_logs
from arena.report.site.pages import Site, render

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class Published:
    """What was published, and where."""

    folder: str
    runs: int
    panels: int
    comparisons: int
    files: int
    logs: int

    def as_json(self) -> Json:
        return json_form(self)

    def drawn(self) -> "RenderableType":
        from rich.text import Text

        return Text(
            f"published {self.runs} runs, {self.panels} panels, {self.comparisons} comparisons and {self.logs} logs "
            f"in {self.folder}: open {self.folder}/index.html; check it with: arena verify {self.folder}"
        )


def publish(
    runs: Sequence[RunRecord],
    out: Path,
    *,
    questions: Sequence[Asked] = (),
    claims: Path | None = None,
    title: str = "Leaderboard",
    allow_partial: bool = False,
) -> Published:
    """Write a board of these runs to `out`, whole or not at all; a board that was there before is replaced.

    Parameters
    ----------
    runs, out
        What is published, and where.
    questions
        The comparisons that were asked for; those on runs that are not here are left out.
    claims
        The folder of the ledger of claims: all of them are shown, with what these runs decide.
    title
        What the pages are called.
    allow_partial
        Publish runs that are not complete, marked as such.

    Raises
    ------
    ArenaError
        A run cannot be reproduced, or is not there yet; nothing was written.
    UsageError
        `out` is a folder that holds something else than a board.
    """
    check_publishable(runs, allow_partial=allow_partial)
    if out.exists() and not _replaceable(out):
        raise UsageError(f"{out}: not a board and not empty, so it is not replaced; name another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        if claims is not None:
            copy_claims(claims, draft)
        published = _write(draft, runs, questions, title)
        draft.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        draft.rename(out)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Published(str(out), *published)


def _write(out: Path, runs: Sequence[RunRecord], questions: Sequence[Asked], title: str) -> tuple[int, ...]:
    for run in runs:
        write_run(run, out)
    # What is shown is computed from what was written, as a reader would.
    written = read_runs(out)
    asked = [one for one in questions if {one.a, one.b} <= {run.id for run in written}]
    board = compute(written, asked, read_claims(out))
    logs = copy_logs(runs, out)
    write_board(out, board_json(title, board, asked))
    figures = captions(board, written, draw(board, written, out))
    for name, text in render(Site(title, board, written, logs, figures)).items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    write_lock(out, written)
    return len(written), len(board.rows), len(board.comparisons), sum(1 for _ in files(out)), len(logs)


def _replaceable(out: Path) -> bool:
    return out.is_dir() and ((out / LOCK).is_file() or not any(out.iterdir()))
