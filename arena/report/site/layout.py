"""Where everything lies on a board, and the links between its pages."""

from pathlib import PurePosixPath
from urllib.parse import quote

from arena.records.episode import Episode
from arena.records.run import RunRecord
from arena.report.compare import Comparison

LOCK = "leaderboard.lock.json"
BOARD = "leaderboard.json"
DATA = "data"
"""The folder of the runs' records and the ledger of claims."""
FIGURES = "figures"
VIEWER = "inspect"
"""The folder of Inspect's own viewer and the logs that it shows."""


def cell_page(run: str) -> str:
    return f"cells/{_file(run)}.html"


def episodes_page(run: str, suite: str) -> str:
    return f"episodes/{_file(run)}/{_file(suite)}.html"


def comparison_page(comparison: Comparison, number: int) -> str:
    """Return a comparison's page; the number tells apart questions about the same two runs."""
    return f"comparisons/{number:02}-{_file(comparison.b.run)}-against-{_file(comparison.a.run)}.html"


def figure_file(name: str) -> str:
    return f"{FIGURES}/{_file(name)}.svg"


def data_folder(run: RunRecord) -> str:
    return f"{DATA}/{run.cell}/{run.plan_digest[:8]}"


def log_path(run: RunRecord, episode: Episode) -> str:
    """Return where a log lies on the board, below the viewer's folder of logs."""
    return f"{run.cell}/{run.plan_digest[:8]}/{episode.log_file}"


def log_link(run: RunRecord, episode: Episode) -> str:
    """Return the link that opens one episode in Inspect's viewer."""
    sample = f"samples/sample/{quote(episode.task, safe='')}/1/"
    return f"{VIEWER}/index.html#/logs/{quote(log_path(run, episode))}/{sample}"


def to_root(page: str) -> str:
    """Return what a page's links begin with: the way back to the board's root."""
    return "../" * (len(PurePosixPath(page).parts) - 1)


def _file(name: str) -> str:
    """Return a name as a file's: what is not safe there becomes a dash."""
    return "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
