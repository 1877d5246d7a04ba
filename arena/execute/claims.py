"""Lock a cell's and a study's claims before its first episode, with what is known of either arm by then."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from arena.execute.evaluate import replicate_folder_name
from arena.records.claims import ArmState, ClaimLedger, LockedClaim
from arena.records.episode import Episode
from arena.records.logs import read_attempt
from arena.records.run import find_runs, load_run
from arena.spec.canonical import digest_of
from arena.spec.cell import LoadedCell
from arena.spec.claim import Claim
from arena.spec.study import Study


def lock_claims(
    loaded: LoadedCell, runs: Path, run_folder: Path, study: Study | None = None
) -> tuple[LockedClaim, ...]:
    """Lock what the cell and its study claim, and note the run that begins.

    To be called before the run's first episode, on every start: what is locked and unchanged stays as it was.

    Raises
    ------
    LockedError
        A locked claim was changed or removed; nothing was evaluated.
    """
    declared = {f"cell:{loaded.cell.cell}": loaded.cell.claims}
    if study is not None:
        declared[f"study:{study.study}"] = study.claims
    ledger = ClaimLedger(runs)
    claims = (*(one.claim for one in ledger.locked()), *(claim for some in declared.values() for claim in some))
    arms = _arms([claim for claim in claims if loaded.cell.cell in (claim.treatment, claim.comparator)], runs)
    for scope, some in declared.items():
        stop = study.stop if study is not None and scope.startswith("study:") else None
        ledger.lock(scope, some, arms | _arms(some, runs), stop)
    ledger.begin(f"{run_folder.parent.name}/{run_folder.name}", arms)
    return tuple(one for one in ledger.locked() if one.scope in declared)


def arm_state(runs: Path, cell: str, suite: str) -> ArmState:
    """Return what the records below `runs` say of a cell on a suite, over all of its runs."""
    folders = [folder for folder in find_runs(runs) if folder.parent.name == cell]
    by_run = [_episodes(folder, suite) for folder in folders]
    scored = [episode for episodes in by_run for episode in episodes if episode.scored]
    newest = by_run[-1] if by_run else []
    return ArmState(
        cell=cell,
        run=f"{cell}/{folders[-1].name}" if folders else None,
        scored=len({(one.plan_digest, one.task, one.replicate) for one in scored}),
        passed=len({(one.plan_digest, one.task, one.replicate) for one in scored if one.grade == "pass"}),
        open_logs=sum(1 for folder in folders for _ in _open_logs(folder, suite)),
        digest=digest_of(sorted([e.task, e.replicate, e.attempt, e.grade] for e in newest)) if newest else None,
    )


def _arms(claims: Iterable[Claim], runs: Path) -> dict[tuple[str, str], ArmState]:
    named = {(cell, claim.suite) for claim in claims for cell in (claim.treatment, claim.comparator)}
    return {(cell, suite): arm_state(runs, cell, suite) for cell, suite in sorted(named)}


def _episodes(folder: Path, suite: str) -> list[Episode]:
    """Return a run's episodes on a suite: from its table where it is complete, else from its logs."""
    run = load_run(folder)
    if run.status == "complete":
        return [episode for episode in run.episodes if episode.suite == suite]
    logs = sorted((folder / "evals" / replicate_folder_name(suite)).glob("r*/a*.eval"))
    return [episode for log in logs for episode in read_attempt(log, str(log.relative_to(folder))).episodes]


def _open_logs(folder: Path, suite: str) -> Iterator[Path]:
    yield from (folder / "evals" / replicate_folder_name(suite)).glob("r*/.a*.running")
