"""A submission to SWE-bench/experiments: `all_preds.jsonl` and `metadata.yaml`."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from arena.errors import RecordError, UsageError, boundary
from arena.records.episode import Episode
from arena.records.exporters.export import Exported, Wanted, factor, one_panel
from arena.records.files import whole_file
from arena.records.run import RunRecord
from arena.records.scores import counting

PREDICTIONS = "all_preds.jsonl"
METADATA = "metadata.yaml"


def write(run: RunRecord, out: Path, wanted: Wanted) -> Exported:
    """Write one replicate's patches; an episode that left none has no row, since an empty patch would be a failure."""
    panel = one_panel(run, wanted)
    if not 1 <= wanted.replicate <= panel.replicates:
        raise UsageError(
            f"{run.id} has the replicates 1 to {panel.replicates} of {panel.suite}, not {wanted.replicate}"
        )
    chosen = {task: one for (task, number), one in counting(panel, run.episodes).items() if number == wanted.replicate}
    patches = _patches(run, [one for one in chosen.values() if one.patch_digest is not None])
    if not patches:
        raise RecordError(f"{run.folder}: no patch is kept with its episodes of {panel.suite}; only logs hold patches")
    model = wanted.model or run.cell
    rows = [
        {"instance_id": task, "model_name_or_path": model, "model_patch": patches[task]}
        for task in panel.task_ids
        if task in patches
    ]
    with whole_file(out / PREDICTIONS) as draft:
        draft.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    with whole_file(out / METADATA) as draft:
        draft.write_text(_metadata(run, model, wanted), encoding="utf-8")
    notes = ["metadata.yaml: authors, site, report and logo are yours to fill in; `checked` is SWE-bench's to set"]
    if without := len(panel.task_ids) - len(rows):
        notes.append(
            f"{without} of {len(panel.task_ids)} tasks left no patch and have no row; SWE-bench counts them failed"
        )
    if panel.replicates > 1:
        notes.append(f"replicate {wanted.replicate} of {panel.replicates}: a submission has one attempt at each task")
    return Exported("swe_bench", run.id, (str(out / PREDICTIONS), str(out / METADATA)), len(rows), tuple(notes))


def _patches(run: RunRecord, episodes: Iterable[Episode]) -> dict[str, str]:
    """Return the patches from the run's logs, each checked against the digest in its episode's row."""
    by_log: dict[str, list[Episode]] = {}
    for one in episodes:
        if one.log_file:
            by_log.setdefault(one.log_file, []).append(one)
    found: dict[str, str] = {}
    for name, rows in by_log.items():
        found |= _of_log(run.folder / name, {one.sample_id: one for one in rows})
    return found


def _of_log(log: Path, rows: dict[str, Episode]) -> dict[str, str]:
    from inspect_ai.log import read_eval_log

    with boundary(RecordError, f"{log}: not a readable Inspect log"):
        samples = read_eval_log(str(log)).samples or []
    found: dict[str, str] = {}
    for sample in samples:
        row = rows.get(sample.uuid or "")
        patches = [(score.metadata or {}).get("model_patch") for score in (sample.scores or {}).values()]
        patch = next((one for one in patches if isinstance(one, str)), None)
        if row is None or patch is None:
            continue
        if f"sha256:{hashlib.sha256(patch.encode()).hexdigest()}" != row.patch_digest:
            raise RecordError(f"{log}: the patch of {row.task!r} is not whole there; it cannot be handed in")
        found[row.task] = patch
    return found


def _metadata(run: RunRecord, model: str, wanted: Wanted) -> str:
    import yaml

    base = factor(run, "model.base")
    data = {
        "assets": {"logs": "", "trajs": ""},
        "info": {"authors": "", "logo": "", "name": model, "report": "", "site": ""},
        "tags": {
            "checked": False,
            "model": [base] if base else [],
            "org": [wanted.organization] if wanted.organization else [],
            "os_model": False,
            "os_system": False,
            "system": {"attempts": "1"},
        },
    }
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
