"""What is refused before anything is published: results that nobody could reproduce, or that are not there yet."""

import re
from collections.abc import Iterator, Sequence

from arena.errors import ArenaError
from arena.records.run import RunRecord
from arena.spec.factors import UNRECORDED, under

SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def check_publishable(runs: Sequence[RunRecord], *, allow_partial: bool) -> None:
    """Raise `ArenaError` with every reason why these runs may not be published."""
    if not runs:
        raise ArenaError("nothing to publish: no runs; `arena run cell CELL.yaml` makes one")
    problems = [f"{run.id}: {problem}" for run in runs for problem in _problems(run, allow_partial)]
    if problems:
        raise ArenaError("not published:\n  " + "\n  ".join(problems))


def _problems(run: RunRecord, allow_partial: bool) -> Iterator[str]:
    if not SAFE_NAME.fullmatch(run.cell):
        yield f"the cell's name {run.cell!r} cannot be a folder's; rename the cell"
    if run.status == "running" and not allow_partial:
        yield "still running; wait for it, or publish it as it stands with --allow-partial"
    if not run.panels:
        yield "has no panel; nothing was evaluated"
    elif not run.episodes and not allow_partial:
        yield "has no episodes; nothing was evaluated"
    hidden = [factor.path for factor in run.factors if under(factor.path, "harness") and factor.value == UNRECORDED]
    if hidden or _unknown({episode.harness_digest for episode in run.episodes}):
        named = ", ".join(hidden) or "harness"
        yield f"not reproducible: {named} is not captured by digest; give the plug-in a package or folder"
    if not run.factors:
        yield "has no factors.json: nobody could say what was measured; run the cell again with this arena"
    if _unknown({episode.weights_digest for episode in run.episodes}):
        yield "the digest of the weights is unrecorded; evaluate again with weights that are recorded"


def _unknown(digests: set[str]) -> bool:
    return bool(digests & {"", UNRECORDED})
