"""A record of Every Eval Ever, schema 0.2.1; what that schema has no field for stands in its free details, as text."""

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

import stats
from arena import __version__
from arena.errors import RecordError
from arena.records.episode import Episode
from arena.records.exporters.export import Exported, Wanted, factor, panels_of
from arena.records.files import write_json
from arena.records.run import Panel, RunRecord
from arena.records.scores import DEFINITIONS, counting, score
from arena.spec.canonical import digest_of

SCHEMA_VERSION = "0.2.1"
FILE = "every_eval_ever.json"
PLANNED = "resolved/planned"


def write(run: RunRecord, out: Path, wanted: Wanted) -> Exported:
    """Write one result for each panel and definition of the score that has a value."""
    notes: list[str] = []
    results: list[dict[str, Any]] = []
    for panel in panels_of(run, wanted):
        there = counting(panel, run.episodes)
        if not any(episode.scored for episode in there.values()):
            notes.append(f"{panel.suite}: no episode has a grade, and the schema has no place for that; left out")
            continue
        own = panel.score_definition if panel.score_definition in DEFINITIONS else "resolved/scored"
        results += [_result(run, panel, name) for name in (own, PLANNED)]
    if not results:
        raise RecordError(f"{run.folder}: no panel has a graded episode; the schema needs a score")
    model = wanted.model or factor(run, "model.base") or run.cell
    if wanted.organization is None:
        notes.append("source_organization_name is 'unrecorded': say who evaluated")
    write_json(out / FILE, _record(run, model, wanted, results))
    return Exported("every_eval_ever", run.id, (str(out / FILE),), len(results), tuple(notes))


def _record(run: RunRecord, model: str, wanted: Wanted, results: list[dict[str, Any]]) -> dict[str, Any]:
    stamp = str(int(datetime.fromisoformat(run.updated_at).timestamp()))
    facts = {"cell": run.cell, "plan_digest": run.plan_digest, "run_status": run.status}
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{run.panels[0].suite}/{model}/{stamp}",
        "dedupe_identity": {
            "run_fingerprint": run.plan_digest,
            "content_hash": digest_of(results),
            "hash_algorithm": "sha256",
            "canonicalization_version": "arena canonical JSON 1",
        },
        "evaluation_timestamp": run.started_at,
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": "arena",
            "source_type": "evaluation_run",
            "source_organization_name": wanted.organization or "unrecorded",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "arena", "version": __version__, "additional_details": facts},
        "model_info": {
            "name": model,
            "id": model,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
                "harness": factor(run, "harness.solver") or "unrecorded",
                "weights_digest": ", ".join(sorted({episode.weights_digest for episode in run.episodes})),
            },
        },
        "evaluation_results": results,
    }


def _result(run: RunRecord, panel: Panel, name: str) -> dict[str, Any]:
    there = counting(panel, run.episodes)
    figure = score(name, panel, run.episodes)
    counts = stats.score(_matrix(panel, there), planned=panel.planned)
    details = {
        "score_definition": f"{figure.name}: {figure.definition}",
        "planned": str(panel.planned),
        "scored": str(counts.scored),
        "passed": str(counts.passed),
        "unscored": str(counts.unscored),
        "tasks": str(len(panel.task_ids)),
        "replicates": str(panel.replicates),
        "bracket": f"{counts.bracket.lo!r} to {counts.bracket.hi!r}",
        "sample": panel.sample,
        "sample_digest": panel.sample_digest,
        "panel_score_definition": panel.score_definition,
        "unscorable_tasks": str(len(panel.unscorable)),
    }
    result: dict[str, Any] = {
        "evaluation_name": f"{panel.suite} ({figure.name})",
        "source_data": {
            "dataset_name": panel.suite,
            "source_type": "other",
            "additional_details": {"sample_digest": panel.sample_digest},
        },
        "metric_config": {
            "evaluation_description": figure.definition,
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": {"score": figure.value, "details": details},
    }
    interval = counts.wilson_neff
    if name != PLANNED and interval is not None:
        result["score_details"]["uncertainty"] = {
            "confidence_interval": {
                "lower": interval.lo,
                "upper": interval.hi,
                "confidence_level": 0.95,
                "method": "Wilson, with the effective number of episodes: runs of one task are not independent",
            },
            "num_samples": counts.scored,
        }
    return result


def _matrix(panel: Panel, there: dict[tuple[str, int], Episode]) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """Return outcomes, shape (tasks, replicates): 1 pass, 0 fail, NaN without a grade."""
    rows = {task: row for row, task in enumerate(panel.task_ids)}
    values = np.full((len(rows), panel.replicates), np.nan)
    for (task, replicate), episode in there.items():
        if episode.scored:
            values[rows[task], replicate - 1] = float(episode.grade == "pass")
    return values
