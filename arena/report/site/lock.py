"""`leaderboard.lock.json`: the sha256 of every file of a board, and what each run was computed from."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.records.files import read_json, write_json
from arena.records.run import RunRecord
from arena.report.json_form import Json
from arena.report.site.layout import LOCK, data_folder

LOCK_VERSION = 1


def write_lock(out: Path, runs: Sequence[RunRecord]) -> None:
    """Lock every file that lies below `out`."""
    lock = {
        "lock_version": LOCK_VERSION,
        "runs": {
            run.id: {
                "plan_digest": run.plan_digest,
                "status": run.status,
                "updated_at": run.updated_at,
                "episodes_sha256": sha256(out / data_folder(run) / "episodes.parquet"),
            }
            for run in runs
        },
        "files": {name: sha256(out / name) for name in files(out)},
    }
    write_json(out / LOCK, lock)


def read_lock(board: Path) -> Json:
    return read_json(board / LOCK)


def files(board: Path) -> Iterator[str]:
    """Give every file of a board but the lock, by its path."""
    for path in sorted(board.rglob("*")):
        name = path.relative_to(board).as_posix()
        if path.is_file() and name != LOCK:
            yield name


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
