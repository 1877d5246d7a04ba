"""Small records in the forms of other programs, written by hand: three tasks, some passed, some not, some ungraded."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


def write(path: Path, data: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    return write(path, "".join(json.dumps(row) + "\n" for row in rows))


def harbor_trial(task: str, number: int, reward: float | None, exception: str | None = None) -> dict[str, Any]:
    return {
        "task_name": f"terminal-bench/{task}",
        "trial_name": f"{task}__{number}",
        "source": "terminal-bench@2.0",
        "task_checksum": f"sum of {task}",
        "config": {
            "timeout_multiplier": 1.0,
            "agent": {"name": "pi", "model_name": "lab/tiny"},
            "task": {"source": "terminal-bench@2.0"},
        },
        "agent_result": {"n_input_tokens": 10, "n_cache_tokens": 2, "n_output_tokens": 3, "cost_usd": 0.0},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": exception and {"exception_type": exception, "exception_message": "…"},
        "started_at": f"2026-02-03T04:05:0{number}Z",
        "agent_execution": {"started_at": "2026-02-03T04:05:00Z", "finished_at": "2026-02-03T04:05:09Z"},
    }


def harbor(folder: Path, trials: Mapping[str, dict[str, Any]] | None = None, **config: Any) -> Path:
    made = trials or {
        "a__1": harbor_trial("a", 1, 1.0),
        "b__1": harbor_trial("b", 1, 0.0),
        "c__1": harbor_trial("c", 1, None, "AgentTimeoutError"),
    }
    write(folder / "config.json", {"n_attempts": 1, **config})
    write(folder / "result.json", {"n_total_trials": len(made), "stats": {"evals": {}}})
    for name, trial in made.items():
        write(folder / name / "result.json", trial)
    return folder


def tb1_trial(task: str, resolved: bool | None, mode: str = "unset", number: int = 1) -> dict[str, Any]:
    tests = None if resolved is None else {"test_one": "passed", "test_two": "passed" if resolved else "failed"}
    return {
        "trial_name": f"{task}.{number}-of-2.agent",
        "task_id": task,
        "is_resolved": resolved,
        "failure_mode": mode,
        "parser_results": tests,
        "total_input_tokens": 0,
        "agent_started_at": "2025-07-11T20:35:17+00:00",
        "agent_ended_at": "2025-07-11T20:36:17+00:00",
    }


def tb1(folder: Path) -> Path:
    trials = [tb1_trial("a", True), tb1_trial("b", False), tb1_trial("c", None, "parse_error")]
    write(folder / "results.json", {"results": trials, "accuracy": 1 / 3})
    metadata = {"dataset_name": "core", "dataset_version": "0.1.1", "model_name": "lab/tiny", "n_attempts": 1}
    write(folder / "run_metadata.json", {**metadata, "task_ids": ["a", "b", "c"]})
    return folder


def verifiers(folder: Path) -> Path:
    rewards = [1.0, 0.0, 1.0, None, 0.0, 0.0]
    rows = [{"example_id": index // 2, "reward": reward, "task": "t"} for index, reward in enumerate(rewards)]
    lines(folder / "results.jsonl", rows)
    write(folder / "metadata.json", {"env": "maths", "model": "tiny", "num_examples": 3, "rollouts_per_example": 2})
    return folder


def trace_episode(key: str, score: float | None, ok: bool = True, **trace: Any) -> dict[str, Any]:
    rewards = {"solved": None if score is None else {"score": score, "weight": 1.0}}
    return {
        "id": f"episode of {key}",
        "env": {"id": "maths", "name": "maths"},
        "task": {"type": "Sum", "key": key, "hash": "h"},
        "ok": ok,
        "errors": [] if ok else [{"type": "SandboxError", "message": "lost"}],
        "traces": [
            {
                "agent": {"name": "agent", "trainable": True, "config": {"model": "tiny"}},
                "calls": [{"usage": {"prompt_tokens": 5, "completion_tokens": 2}}],
                "rewards": rewards,
                "ok": ok,
                "errors": [],
                "stop_condition": "agent_completed",
                "timing": {"agent": {"start": 1.0, "end": 4.0}},
                **trace,
            }
        ],
    }


def traces(folder: Path) -> Path:
    rows = [trace_episode("a", 1.0), trace_episode("b", 0.0), trace_episode("c", None, ok=False)]
    lines(folder / "traces.jsonl", rows)
    return folder


def swe_summary(folder: Path, **changes: Any) -> Path:
    summary = {
        "total_instances": 6,
        "submitted_instances": 5,
        "completed_instances": 3,
        "resolved_instances": 1,
        "unresolved_instances": 2,
        "empty_patch_instances": 1,
        "error_instances": 1,
        "infra_failure_instances": 1,
        "ambiguous_failure_instances": 0,
        "completed_ids": ["o__r-1", "o__r-2", "o__r-3"],
        "incomplete_ids": ["o__r-6"],
        "empty_patch_ids": ["o__r-4"],
        "submitted_ids": ["o__r-1", "o__r-2", "o__r-3", "o__r-4", "o__r-5"],
        "resolved_ids": ["o__r-1"],
        "unresolved_ids": ["o__r-2", "o__r-3"],
        "infra_failure_ids": ["o__r-3"],
        "ambiguous_failure_ids": [],
        "failure_reasons": {"o__r-3": "disk_full"},
        "error_ids": ["o__r-5"],
        "schema_version": 2,
        **changes,
    }
    return write(folder / "lab__tiny.run1.json", summary)


def swe_report(task: str, resolved: bool, **changes: Any) -> dict[str, Any]:
    status = {"success": ["t"], "failure": [] if resolved else ["u"]}
    report = {"patch_is_None": False, "patch_exists": True, "patch_successfully_applied": True, "resolved": resolved}
    return {task: {**report, "tests_status": {"FAIL_TO_PASS": status}, **changes}}


def swe_reports(folder: Path) -> Path:
    model = folder / "logs" / "run_evaluation" / "run1" / "lab__tiny"
    for task, resolved in {"o__r-1": True, "o__r-2": False}.items():
        write(model / task / "report.json", swe_report(task, resolved))
    write(model.parent / "run.json", {"dataset": "SWE-bench/SWE-bench_Verified", "split": "test"})
    return folder


def trajectory(status: str, **info: Any) -> dict[str, Any]:
    config = {"agent": {"step_limit": 10, "cost_limit": 3.0}, "model": {"model_name": "lab/tiny"}}
    stats = {"instance_cost": 0.5, "api_calls": 4}
    return {
        "info": {"exit_status": status, "model_stats": stats, "config": config, "mini_version": "2.2.8", **info},
        "trajectory_format": "mini-swe-agent-1.1",
    }


def mini(folder: Path) -> Path:
    patches = {"o__r-1": "diff --git a b", "o__r-2": "", "o__r-3": "", "o__r-4": ""}
    statuses = {"o__r-1": "Submitted", "o__r-2": "LimitsExceeded", "o__r-3": "RateLimitError", "o__r-4": "Submitted"}
    preds = {
        task: {"instance_id": task, "model_name_or_path": "lab/tiny", "model_patch": patch}
        for task, patch in patches.items()
    }
    write(folder / "preds.json", preds)
    for task, status in list(statuses.items())[:3]:
        write(folder / task / f"{task}.traj.json", trajectory(status))
    write(folder / "exit_statuses_1.yaml", "instances_by_exit_status:\n  Submitted:\n  - o__r-4\n")
    return folder


def lm_eval(folder: Path) -> Path:
    stamp = "2025-02-25T03-25-17.418442"
    results = {
        "results": {"sums": {"acc,none": 2 / 3, "acc_stderr,none": 0.3}},
        "configs": {"sums": {}},
        "n-samples": {"sums": {"original": 3, "effective": 3}},
        "model_name": "lab/tiny",
        "config": {"model_sha": "c" * 40},
    }
    write(folder / f"results_{stamp}.json", results)
    lines(folder / f"samples_sums_{stamp}.jsonl", [{"doc_id": n, "acc": acc} for n, acc in enumerate((1.0, 0.0, 1.0))])
    return folder


def inspect_sample(key: int | str, value: Any, epoch: int = 1, **changes: Any) -> dict[str, Any]:
    scores = None if value is None else {"includes": {"value": value}}
    given = {"id": key, "epoch": epoch, "input": "?", "target": "!", "scores": scores, "uuid": f"{key}-{epoch}"}
    return {**given, "messages": [], "completed": True, **changes}


def inspect_log(path: Path, samples: list[dict[str, Any]] | None = None, **changes: Any) -> Path:
    held = samples or [
        inspect_sample("a", "C"),
        inspect_sample("b", "I"),
        inspect_sample("c", None, error={"message": "TimeoutError('x')", "traceback": "", "traceback_ansi": ""}),
    ]
    spec = {
        "created": "2025-02-07T00:00:00+00:00",
        "task": "sums",
        "task_id": "t1",
        "run_id": "r1",
        "dataset": {"name": "sums", "samples": 3, "sample_ids": sorted({one["id"] for one in held}, key=str)},
        "model": "lab/tiny",
        "config": {"epochs": max(one["epoch"] for one in held)},
        "packages": {"inspect_ai": "0.3.1"},
    }
    log = {
        "version": 2,
        "status": "success",
        "eval": {**spec, **changes.pop("eval", {})},
        "results": {"total_samples": len(held), "completed_samples": len(held), "scores": []},
        "samples": held,
        **changes,
    }
    return write(path, log)


def eval_file(path: Path) -> Path:
    """Write an `.eval` file through Inspect itself."""
    from inspect_ai.log import read_eval_log, write_eval_log

    plain = inspect_log(path.with_suffix(".json"))
    write_eval_log(read_eval_log(str(plain)), str(path), format="eval")
    plain.unlink()
    return path


class Made:
    """The functions of this file, for tests."""

    write = staticmethod(write)
    lines = staticmethod(lines)
    harbor = staticmethod(harbor)
    harbor_trial = staticmethod(harbor_trial)
    tb1 = staticmethod(tb1)
    tb1_trial = staticmethod(tb1_trial)
    verifiers = staticmethod(verifiers)
    traces = staticmethod(traces)
    trace_episode = staticmethod(trace_episode)
    swe_summary = staticmethod(swe_summary)
    swe_report = staticmethod(swe_report)
    swe_reports = staticmethod(swe_reports)
    trajectory = staticmethod(trajectory)
    mini = staticmethod(mini)
    lm_eval = staticmethod(lm_eval)
    inspect_sample = staticmethod(inspect_sample)
    inspect_log = staticmethod(inspect_log)
    eval_file = staticmethod(eval_file)

    @staticmethod
    def all(root: Path) -> dict[str, Path]:
        """Make one source of each form; return what is to be imported."""
        whole = swe_reports(root / "swe_folder")
        swe_summary(whole)
        mini(root / "swe_folder_mini")
        write(root / "old.json", {"no_generation": ["o__r-3"], "generated": ["o__r-2"], "resolved": ["o__r-1"]})
        (root / "inspect").mkdir()
        return {
            "harbor": harbor(root / "harbor"),
            "tb1": tb1(root / "tb1"),
            "verifiers": verifiers(root / "verifiers"),
            "traces": traces(root / "traces"),
            "swe summary": swe_summary(root / "swe_summary"),
            "swe old": root / "old.json",
            "swe reports": swe_reports(root / "swe_reports"),
            "swe folder": whole,
            "mini": root / "swe_folder_mini",
            "lm_eval": lm_eval(root / "lm_eval"),
            "inspect json": inspect_log(root / "inspect" / "log.json"),
            "inspect eval": eval_file(root / "packed.eval"),
        }


@pytest.fixture(scope="session")
def made() -> type[Made]:
    return Made
