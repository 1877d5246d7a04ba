"""eval-arena's rows, one for each task: `benchmark_id, model, example_id, pass1, correct, count`."""

import json
from pathlib import Path

from arena.records.exporters.export import Exported, Wanted, panels_of
from arena.records.files import whole_file
from arena.records.run import RunRecord
from arena.records.scores import counting

FILE = "eval_arena.jsonl"


def write(run: RunRecord, out: Path, wanted: Wanted) -> Exported:
    """Write a row for each task that has a graded episode; `count` is the number of these alone."""
    rows: list[dict[str, object]] = []
    notes: list[str] = []
    for panel in panels_of(run, wanted):
        grades: dict[str, list[bool]] = {task: [] for task in panel.task_ids}
        for (task, _), episode in sorted(counting(panel, run.episodes).items()):
            if episode.scored:
                grades[task].append(episode.grade == "pass")
        rows += [
            {
                "benchmark_id": panel.suite,
                "model": wanted.model or run.cell,
                "example_id": task,
                "pass1": sum(own) / len(own),
                "correct": sum(own),
                "count": len(own),
            }
            for task, own in grades.items()
            if own
        ]
        without = sum(not own for own in grades.values())
        if without:
            notes.append(f"{panel.suite}: {without} of {len(grades)} tasks have no graded episode and no row")
        if any(0 < len(own) < panel.replicates for own in grades.values()):
            notes.append(f"{panel.suite}: tasks differ in `count`; what has no grade is left out of it")
    with whole_file(out / FILE) as draft:
        draft.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return Exported("eval_arena", run.id, (str(out / FILE),), len(rows), tuple(notes))
