"""Run the cells of a study; what they share is made once."""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from arena.errors import CellError
from arena.execute.check import check_machine
from arena.execute.pipeline import Options, run_loaded
from arena.execute.progress import Progress
from arena.execute.resolve import resolve
from arena.execute.stopping import Stopping
from arena.records.run import RunRecord
from arena.spec.cell import LoadedCell, PinnedModel, TrainedModel
from arena.spec.study import load_study


def run_study(path: Path, options: Options, stopping: Stopping, progress: Progress) -> tuple[RunRecord, ...]:
    """Run every cell of a study, those that others start from first; all are checked before the first is run."""
    progress.stage("resolve", str(path))
    study = load_study(path)
    cells = in_order(study.cells)
    for loaded in cells:
        if isinstance(loaded.cell.model, PinnedModel):
            check_machine(resolve(loaded, options.runs))
    runs = []
    for number, loaded in enumerate(cells, start=1):
        if stopping.reason() == "user":
            break
        progress.stage("cell", f"{loaded.cell.cell} ({number} of {len(cells)})")
        runs.append(run_loaded(loaded, options, stopping, progress, study.study))
    return tuple(runs)


def in_order(cells: Sequence[LoadedCell]) -> list[LoadedCell]:
    """Return the cells so that one which another starts from stands before it, else as they are given."""
    names = {loaded.cell.cell: loaded for loaded in cells}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for loaded in cells:
        model = loaded.cell.model
        needed = [model.source.cell] if isinstance(model, TrainedModel) and model.source.cell in names else []
        sorter.add(loaded.cell.cell, *needed)
    try:
        return [names[name] for name in sorter.static_order()]
    except CycleError as cycle:
        raise CellError(
            f"cells start from each other: {' -> '.join(cycle.args[1])}; name a base in one of them"
        ) from None
