"""What this machine must have for a cell, looked for before anything is spent."""

import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from arena.errors import CellError
from arena.execute.facts import machine, packages, source
from arena.execute.resolve import Resolved, resolve
from arena.execute.sandboxes.open import probe
from arena.execute.serve import engine
from arena.spec.cell import load_cell
from arena.suites.environment import BubblewrapEnvironment


@dataclass(frozen=True)
class CheckedCell:
    """A cell that this machine can run, and what running it means."""

    cell: str
    plan_digest: str
    run_folder: str
    episodes: int
    found: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def drawn(self) -> str:
        return f"{self.cell}: this machine can run it; plan {self.plan_digest[:8]}, {self.episodes} episodes"


def check_cell_file(path: Path, runs: Path) -> CheckedCell:
    """Resolve a cell and look for all that it needs; raises `CellError` for the first kind of thing that is wrong."""
    ready = resolve(load_cell(path), runs)
    found = check_machine(ready)
    episodes = sum(len(sample.ids) for panel in ready.panels for sample in panel.samples)
    return CheckedCell(ready.cell.cell, ready.plan.digest, str(ready.run_folder(runs)), episodes, found)


def check_machine(ready: Resolved) -> dict[str, Any]:
    """Return what was found; raises `CellError` naming all that is missing, with what to do about it."""
    missing = []
    cell = ready.cell
    try:
        engine(cell.serve.engine)
    except CellError as wrong:
        missing.append(str(wrong))
    if not shutil.which("git"):
        missing.append("git is not on the PATH; install it (tasks are git repositories)")
    if cell.budget.gpus > len(machine()["gpus"]):
        missing.append(f"the cell has {cell.budget.gpus} GPUs, this machine has {len(machine()['gpus'])}")
    sandbox: dict[str, Any] = {}
    if _needs_bubblewrap(ready):
        found = probe()
        sandbox = asdict(found)
        if not found.works:
            missing.append(f"a bubblewrap sandbox cannot be made here: {found.reason}")
    if missing:
        raise CellError(f"{ready.loaded.path}: this machine cannot run the cell:\n  " + "\n  ".join(missing))
    return {"sandbox": sandbox, "machine": machine(), "packages": packages(), "source": source()}


def _needs_bubblewrap(ready: Resolved) -> bool:
    for panel in ready.panels:
        first = panel.suite.tasks(panel.samples[0].ids[:1])
        if first and isinstance(panel.suite.environment(first[0]), BubblewrapEnvironment):
            return True
    return False
