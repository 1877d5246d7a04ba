"""verifiers 1: one episode a line of `traces.jsonl`, each with the traces of its agents."""

from collections.abc import Sequence
from pathlib import Path

from arena.errors import RecordError
from arena.records.importers.reading import Fields
from arena.records.importers.rows import REWARD, Findings, Outcome, Planned, Trial, from_reward
from arena.records.outcome import Execution, Limit

LIMITS: dict[str, Limit] = {
    "max_turns": "turn",
    "max_input_tokens": "token",
    "max_output_tokens": "token",
    "max_total_tokens": "token",
    "context_length": "context",
    "timeout": "wall",
}
ERRORS: dict[str, Execution] = {"ProviderError": "provider_error", "SandboxError": "sandbox_error"}
"""By the type of an error; any other one is the harness's."""

UNVERIFIED = "scored_unverified"
"""Why an episode failed whose reward of 0 may stand for a reward file that could not be read."""

_READS_A_FILE = ("harbor", "terminal-bench", "terminal_bench")


def rollouts(file: Path, found: Findings) -> list[tuple[Planned, Sequence[Trial]]]:
    """Return the rollouts of each environment; a line that cannot be read is a planned one without a name."""
    by_suite: dict[str, list[Trial]] = {}
    lost = 0
    seen: set[str] = set()
    for line in found.source.lines(file):
        try:
            suite, trial = _episode(line, found)
        except RecordError as damage:
            found.damaged(damage)
            lost += 1
            continue
        own = str(trial.facts["sample_id"])
        if own in seen:
            raise RecordError(f"{trial.place}: the episode {own!r} stands twice")
        seen.add(own)
        by_suite.setdefault(suite, []).append(trial)
    if not by_suite:
        raise RecordError(f"{file}: no line of it can be read as an episode of verifiers")
    found.note("which tasks were planned, and how often, is not recorded by this format")
    parts: list[tuple[Planned, Sequence[Trial]]] = []
    for suite, trials in by_suite.items():
        parts.append((Planned(suite, unnamed=0 if parts else lost, score_definition=REWARD), trials))
    return parts


def _episode(line: Fields | RecordError, found: Findings) -> tuple[str, Trial]:
    if isinstance(line, RecordError):
        raise line
    env, task = line.maybe_fields("env"), line.fields("task")
    suite = (env.maybe_text("name") or env.maybe_text("id")) if env else None
    trace = _main_trace(line)
    outcome = _outcome(line, trace, found)
    if suite and trace and outcome.reason == "tests_failed":
        outcome = _checked(suite, trace, outcome, found)
    calls = trace.list_of_fields("calls") if trace else ()
    usages = [usage for call in calls if (usage := call.maybe_fields("usage"))]
    timing = (trace.maybe_fields("timing") if trace else None) or Fields({}, line.place)
    span = timing.maybe_fields("agent")
    trial = Trial(
        task=task.maybe_text("key") or task.text("hash"),
        outcome=outcome,
        place=line.place,
        facts={
            "tokens_in": _sum(usages, "prompt_tokens"),
            "tokens_out": _sum(usages, "completion_tokens"),
            "turns": len(calls) or None,
            "working_s": _span(span) if span else None,
            "delegations": max(0, len(line.list_of_fields("traces")) - 1),
            "sample_id": line.text("id"),
        },
    )
    _know(trace, found)
    return suite or "verifiers", trial


def _main_trace(line: Fields) -> Fields | None:
    """Return the trace that is graded: the only one, or the only one that has rewards."""
    traces = line.list_of_fields("traces")
    if len(traces) <= 1:
        return traces[0] if traces else None
    graded = [trace for trace in traces if trace.value("rewards")]
    if len(graded) != 1:
        raise RecordError(f"{line.place}: {len(traces)} traces, {len(graded)} of them with rewards; one can be graded")
    return graded[0]


def _outcome(line: Fields, trace: Fields | None, found: Findings) -> Outcome:
    errors = [*line.list_of_fields("errors"), *(trace.list_of_fields("errors") if trace else ())]
    if not line.flag("ok") or trace is None or trace.maybe_flag("ok") is False:
        kind = errors[-1].text("type") if errors else "no_trace" if trace is None else "not_ok"
        return Outcome(ERRORS.get(kind, "harness_error"), None, "unscored", kind)
    stop = trace.maybe_text("stop_condition")
    limit = LIMITS.get(stop or "")
    execution: Execution = "limit" if limit else "completed"
    rewards = trace.maybe_fields("rewards")
    total = 0.0
    for name in rewards.data if rewards else ():
        one = rewards.maybe_fields(name) if rewards else None
        if one is None:
            return Outcome(execution, limit, "unscored", "no_reward")
        score, weight = one.maybe_number("score"), one.maybe_number("weight")
        if score is None:
            return Outcome(execution, limit, "unscored", "no_reward")
        total += score * (1.0 if weight is None else weight)
    return from_reward(total if rewards and rewards.data else None, found.options, execution, limit, "tests_failed")


def _checked(suite: str, trace: Fields, outcome: Outcome, found: Findings) -> Outcome:
    """Mark a 0 that may be no verdict: some task sets write it when they cannot read the reward's file."""
    task = trace.maybe_fields("task")
    names = f"{suite} {task.maybe_text('type') if task else ''}".lower()
    info = trace.maybe_fields("info")
    if not any(word in names for word in _READS_A_FILE) or (info and any("verifier" in key for key in info.data)):
        return outcome
    found.note("rewards of 0 without the verifier's output may be unreadable reward files: scored_unverified")
    return Outcome(outcome.execution, outcome.limit, "fail", UNVERIFIED)


def _sum(usages: Sequence[Fields], key: str) -> int | None:
    counts = [usage.maybe_count(key) for usage in usages]
    return sum(count or 0 for count in counts) if counts and None not in counts else None


def _span(span: Fields) -> float | None:
    start, end = span.maybe_amount("start"), span.maybe_amount("end")
    return end - start if start and end and end >= start else None


def _know(trace: Fields | None, found: Findings) -> None:
    if trace is None:
        return
    version = trace.maybe_fields("verifiers")
    agent = trace.maybe_fields("agent")
    config = agent.maybe_fields("config") if agent else None
    if version is not None:
        found.knows("packages.verifiers", version.maybe_text("version"))
    if config is not None and isinstance(config.value("model"), str):
        found.knows("model.base", config.maybe_text("model"))
    if config is not None and isinstance(config.value("harness"), dict):
        found.knows("harness.solver", config.fields("harness").maybe_text("id"))
