"""A board with everything: two runs, replicates, unscored episodes, a comparison, and Inspect's logs of one run."""

import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pytest

from arena.records.claims import ArmState, ClaimLedger
from arena.records.logs import LogContext, read_attempt
from arena.records.run import RunRecord, load_run
from arena.records.table import write_episodes
from arena.report.asked import Asked
from arena.report.compare import Rules
from arena.report.site.publish import Published, publish
from arena.spec.claim import Claim

ARMS = {(cell, "suite"): ArmState(cell, None, 0, 0, 0, None) for cell in ("tuned", "base")}
"""What either arm had when the claim was locked."""
GRADES = {"pass": "C", "fail": "I"}


def write_log(run: RunRecord, replicate: int, folder: Path) -> None:
    """Write an Inspect log with the run's episodes of one replicate, as an evaluation leaves it."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.scorer import Score

    rows = [episode for episode in run.episodes if episode.replicate == replicate]
    first = rows[0]
    context = LogContext(
        **{name: getattr(first, name) for name in LogContext.__dataclass_fields__}  # the header says these once
    )
    samples = [
        EvalSample(
            id=row.task,
            epoch=1,
            input="mend it",
            target="",
            uuid=row.sample_id,
            metadata={
                "group": row.group,
                "tier": row.tier,
                "replicate": replicate,
                "attempt": 1,
                "environment_digest": row.environment_digest,
            },
            scores={
                "swe": Score(
                    value=GRADES.get(row.grade, float("nan")),
                    metadata={"grade": row.grade, "reason": row.reason, "turns": 3},
                )
            },
        )
        for row in rows
    ]
    spec = EvalSpec(
        created="2026-01-02T03:04:05+00:00",
        task="suite",
        dataset=EvalDataset(samples=len(samples)),
        model="scripted/model",
        config=EvalConfig(),
        metadata={"arena": asdict(context)},
    )
    path = folder / first.log_file
    path.parent.mkdir(parents=True)
    write_eval_log(EvalLog(status="success", eval=spec, samples=samples), str(path))


def make_logged_run(make_run: Callable[..., RunRecord]) -> RunRecord:
    """Return a run whose table was made from its logs."""
    drafted = make_run("tuned", {"suite": ["ppfp", "ppff"]})
    drafted = replace(drafted, episodes=tuple(replace(e, limits_kind="test") for e in drafted.episodes))
    names = {episode.replicate: episode.log_file for episode in drafted.episodes}
    for replicate in names:
        write_log(drafted, replicate, drafted.folder)
    logged = [e for name in names.values() for e in read_attempt(drafted.folder / name, name).episodes]
    write_episodes(drafted.folder / "episodes.parquet", logged)
    return load_run(drafted.folder)


@dataclass(frozen=True)
class Board:
    """A published board, and what it was made from."""

    folder: Path
    published: Published
    runs: tuple[RunRecord, ...]
    questions: tuple[Asked, ...]


@pytest.fixture(scope="session")
def board(run_maker: Callable[[Path], Callable[..., RunRecord]], tmp_path_factory: pytest.TempPathFactory) -> Board:
    """One board for all tests that only read it."""
    folder = tmp_path_factory.mktemp("board")
    make_run = run_maker(folder)
    runs = (make_run("base", {"suite": ["pfff", "pfuf"]}), make_logged_run(make_run))
    questions = (Asked(runs[0].id, runs[1].id, "recipe", Rules()),)
    root = runs[0].folder.parent.parent
    ClaimLedger(root).lock("study:one", [Claim(id="better", treatment="tuned", comparator="base", suite="suite")], ARMS)
    published = publish(runs, folder / "board", questions=questions, claims=root, title="A board")
    return Board(folder / "board", published, runs, questions)


@pytest.fixture
def copy(board: Board, tmp_path: Path) -> Path:
    """Return a copy of the board, to be tampered with."""
    return Path(shutil.copytree(board.folder, tmp_path / "copy"))
