"""Compute a published board again from its own records, and say where it differs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import RecordError
from arena.records.episode import Episode
from arena.records.files import read_json
from arena.records.run import RunRecord
from arena.report.json_form import Json, json_form
from arena.report.site.data import board_json, compute, read_claims, read_questions, read_runs
from arena.report.site.drawings import captions, drawn
from arena.report.site.layout import BOARD, LOCK, VIEWER, log_path
from arena.report.site.lock import files, read_lock, sha256
from arena.report.site.pages import Site, render

if TYPE_CHECKING:
    from rich.console import RenderableType

TOLERANCE = 1e-9
"""Relative; another machine's last digits may differ, a figure may not."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was published."""

    where: str
    published: str
    computed: str


@dataclass(frozen=True)
class Verification:
    board: str
    figures: int
    """Figures of leaderboard.json that were computed again."""
    files: int
    episodes: int
    """Episode rows that were read again from Inspect's logs."""
    differences: tuple[Difference, ...]

    @property
    def holds(self) -> bool:
        return not self.differences

    def as_json(self) -> Json:
        return json_form(self) | {"holds": self.holds}

    def drawn(self) -> "RenderableType":
        from rich.text import Text

        what = f"{self.figures} figures, {self.files} files, {self.episodes} episodes against their logs"
        if self.holds:
            return Text(f"{self.board}: holds ({what})")
        lines = [f"  {one.where}: published {one.published}, computed {one.computed}" for one in self.differences]
        return Text("\n".join([f"{self.board}: {len(lines)} differences ({what})", *lines]))


def verify(board: Path) -> Verification:
    """Check every file's digest, every figure, every page, and every episode that has its log.

    Raises
    ------
    RecordError
        `board` is not a board, or a record of it is damaged.
    """
    if not (board / LOCK).is_file():
        raise RecordError(f"{board}: not a published board: no {LOCK}; `arena publish leaderboard` makes one")
    lock, runs = read_lock(board), read_runs(board)
    title, questions = read_questions(board)
    published = read_json(board / BOARD)
    computed = compute(runs, questions, read_claims(board))
    logs = {name: board / VIEWER / "logs" / name for name in _logs(runs) if (board / VIEWER / "logs" / name).is_file()}
    figures = list(_figures(published, board_json(title, computed, questions)))
    pages = render(Site(title, computed, runs, frozenset(logs), captions(computed, runs, drawn(board))))
    rows = [row for run in runs for row in _against_logs(run, logs)]
    return Verification(
        board=str(board),
        figures=len(figures),
        files=len(lock["files"]),
        episodes=sum(count for count, _ in rows),
        differences=(
            *_files(board, lock["files"]),
            *(found for found in figures if found is not None),
            *_pages(board, pages),
            *(found for _, differences in rows for found in differences),
        ),
    )


def _files(board: Path, locked: Mapping[str, str]) -> Iterator[Difference]:
    there = set(files(board))
    for name, digest in locked.items():
        now = sha256(board / name) if name in there else "missing"
        if now != digest:
            yield Difference(name, f"sha256 {digest[:12]}", now if now == "missing" else f"sha256 {now[:12]}")
    for name in sorted(there - set(locked)):
        yield Difference(name, "not in the lock", "a file")


def _pages(board: Path, pages: Mapping[str, str]) -> Iterator[Difference]:
    for name, text in pages.items():
        path = board / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            yield Difference(name, "the page", "another one from the same records")


def _figures(published: Any, computed: Any, where: str = BOARD) -> Iterator[Difference | None]:
    """Give one item for every leaf of either: None where they agree."""
    if isinstance(published, dict) and isinstance(computed, dict):
        for key in dict.fromkeys((*published, *computed)):
            yield from _figures(published.get(key, "nothing"), computed.get(key, "nothing"), f"{where}:{key}")
    elif isinstance(published, list) and isinstance(computed, list) and len(published) == len(computed):
        for index, (one, other) in enumerate(zip(published, computed, strict=True)):
            yield from _figures(one, other, f"{where}[{index}]")
    else:
        yield None if _same(published, computed) else Difference(where, str(published), str(computed))


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float | int):
        return abs(one - other) <= TOLERANCE * max(1.0, abs(one))
    return type(one) is type(other) and one == other


def _logs(runs: tuple[RunRecord, ...]) -> set[str]:
    return {log_path(run, episode) for run in runs for episode in run.episodes}


def _against_logs(run: RunRecord, logs: Mapping[str, Path]) -> Iterator[tuple[int, list[Difference]]]:
    """Compare a run's rows with what its logs say, log by log."""
    from arena.records.logs import read_attempt

    by_log: dict[str, list[Episode]] = {}
    for episode in run.episodes:
        by_log.setdefault(log_path(run, episode), []).append(episode)
    for name, rows in by_log.items():
        if name in logs:
            logged = {_place(episode): episode for episode in read_attempt(logs[name], rows[0].log_file).episodes}
            yield len(rows), [found for row in rows if (found := _against(run, row, logged.get(_place(row))))]


def _place(episode: Episode) -> tuple[str, int, int]:
    return episode.task, episode.replicate, episode.attempt


def _against(run: RunRecord, row: Episode, logged: Episode | None) -> Difference | None:
    where = f"{run.id} {row.suite}/{row.task}/r{row.replicate}/a{row.attempt}"
    if logged is None:
        return Difference(where, row.grade, "not in its log")
    if logged != row:
        return Difference(where, _differing(row, logged), _differing(logged, row))
    return None


def _differing(one: Episode, other: Episode) -> str:
    return ", ".join(f"{name} {value}" for name, value in vars(one).items() if value != vars(other)[name])
