"""Inspect's own logs on the board, under Inspect's own viewer."""

import io
import re
import shutil
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from arena.errors import RecordError
from arena.records.run import RunRecord
from arena.report.site.layout import VIEWER, log_path

SERVED_AS = "logs"


def copy_logs(runs: Sequence[RunRecord], out: Path) -> frozenset[str]:
    """Put the viewer with every run's logs below `out`; return the logs, by their path below the viewer's folder.

    An episode whose log is not there (an imported record, say) has no link. Without any log there is no viewer.
    """
    found = {name: source for run in runs for name, source in _logs(run).items()}
    if not found:
        return frozenset()
    from inspect_ai.log import bundle_log_dir

    with TemporaryDirectory(prefix="arena-logs-") as folder:
        for name, source in found.items():
            target = Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            bundle_log_dir(folder, str(out / VIEWER))
    _forget_folder(out / VIEWER / "index.html")
    return frozenset(found)


def _logs(run: RunRecord) -> dict[str, Path]:
    return {
        log_path(run, episode): source
        for episode in run.episodes
        if (source := run.folder / _inside(run, episode.log_file)).is_file()
    }


def _inside(run: RunRecord, log_file: str) -> str:
    path = PurePosixPath(log_file)
    if path.is_absolute() or ".." in path.parts:
        raise RecordError(f"{run.folder}: an episode names the log {log_file!r}, outside of its run; rebuild the table")
    return log_file


def _forget_folder(page: Path) -> None:
    """Take out of the viewer's page where the logs lay on this machine."""
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r'"abs_log_dir": *"[^"]*"', f'"abs_log_dir": "{SERVED_AS}"', text), encoding="utf-8")
