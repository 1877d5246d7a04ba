"""Harbor's job folders: `config.json`, `result.json`, and a folder with a `result.json` for each trial."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import RecordError
from arena.records.importers.imported import DEFAULTS, Imported, Options, Published
from arena.records.importers.reading import Fields, Source, entries
from arena.records.importers.rows import (
    MOST_REPLICATES,
    REWARD,
    Findings,
    Outcome,
    Planned,
    Trial,
    factor_key,
    from_reward,
    imported,
    priced,
)
from arena.records.outcome import Execution, Limit
from arena.spec.factors import UNRECORDED

NAME = "harbor"
LOOKS_FOR = "a job's folder with config.json and result.json, or a trial's folder with result.json"
SCORES = (REWARD, "resolved/planned", "tb2_official", "harbor_mean")

TIMEOUT = "AgentTimeoutError"
EXECUTIONS: dict[str, Execution] = {
    "VerifierTimeoutError": "completed",
    "VerifierOutputParseError": "completed",
    "RewardFileNotFoundError": "completed",
    "RewardFileEmptyError": "completed",
    "CancelledError": "cancelled",
    "EnvironmentStartTimeoutError": "sandbox_error",
    "DaytonaError": "sandbox_error",
    "RateLimitError": "provider_error",
    "APIConnectionError": "provider_error",
    "InternalServerError": "provider_error",
    "AuthenticationError": "provider_error",
}
"""How the agent ended, by the type of the trial's exception; any other one is the harness's."""

OVERRIDES = {
    "agent": ("override_timeout_sec", "max_timeout_sec"),
    "environment": ("override_cpus", "override_memory_mb", "override_storage_mb", "override_gpus"),
    "verifier": ("override_timeout_sec", "max_timeout_sec"),
}


@dataclass(frozen=True)
class _Ran:
    """One trial, and who ran it on what."""

    trial: Trial
    agent: str | None
    """Agent and model, none where its records do not say."""
    dataset: str | None
    config: Fields
    named: str
    """The task's whole name."""


def recognises(path: Path) -> bool:
    if not path.is_dir():
        return False
    if (path / "result.json").is_file() and ((path / "config.json").is_file() or _trial_folders(path)):
        return True
    return (path / "config.json").is_file() and bool(_trial_folders(path))


def read(path: Path, options: Options = DEFAULTS) -> Imported:
    """Read a job, or one trial of it."""
    found = Findings(Source(path), options)
    result = _part(path / "result.json", found)
    if "trial_name" in result.data:
        rans = [_ran(path, found)]
        total = None
    else:
        config = _part(path / "config.json", found)
        rans = [_ran(folder, found) for folder in _trial_folders(path)]
        rans = rans or [_of_result(one, Fields({}, one.place), found) for one in result.list_of_fields("trial_results")]
        total = _guarded(result, "n_total_trials", found)
        replicates = _guarded(config, "n_attempts", found, MOST_REPLICATES)
    chosen = _of_one_agent(rans, found)
    if len(chosen) < len(rans):
        total = None
    parts = _panels(chosen, found, replicates if "trial_name" not in result.data else None, total)
    for ran in chosen[:1]:
        _know(ran.config, found, [plan.suite for plan, _ in parts])
    if len(chosen) == len(rans) and len(parts) == 1:
        _publish(result, parts[0][0].suite, found)
    return imported(NAME, found, parts, SCORES)


def _trial_folders(path: Path) -> list[Path]:
    marks = ("result.json", "config.json", "trial.log")
    return [one for one in entries(path) if one.is_dir() and any((one / mark).is_file() for mark in marks)]


def _part(path: Path, found: Findings) -> Fields:
    """Return a job's own file, empty where it is missing or damaged."""
    try:
        return found.source.object(path)
    except RecordError as damage:
        found.damaged(damage)
        return Fields({}, str(path))


def _guarded(fields: Fields, key: str, found: Findings, most: int = 10**6) -> int | None:
    try:
        return fields.maybe_count(key, most)
    except RecordError as damage:
        found.damaged(damage)
        return None


def _ran(folder: Path, found: Findings) -> _Ran:
    """Read one trial's folder; one without a result is not finished, and a damaged one has no grade."""
    config = Fields({}, str(folder / "config.json"))
    if (folder / "config.json").is_file():
        config = _part(folder / "config.json", found)
    if not (folder / "result.json").is_file():
        return _without_result(folder, config, Outcome("pending", reason="not_finished"), found)
    try:
        return _of_result(found.source.object(folder / "result.json"), config, found)
    except RecordError as damage:
        found.damaged(damage)
        return _without_result(folder, config, Outcome(reason="unreadable"), found)


def _without_result(folder: Path, config: Fields, outcome: Outcome, found: Findings) -> _Ran:
    """Name a trial's task by its config, or else by its folder's name."""
    try:
        task = config.maybe_fields("task")
        named = (task.maybe_text("name") or task.maybe_text("path")) if task else None
        agent, dataset = _agent(config, Fields({}, config.place)), task.maybe_text("source") if task else None
    except RecordError as damage:
        found.damaged(damage)
        named = agent = dataset = None
    trial = Trial(_short(named or folder.name.split("__")[0]), outcome, str(folder), order=f"~{folder.name}")
    return _Ran(trial, agent, dataset, config, named or trial.task)


def _of_result(result: Fields, config: Fields, found: Findings) -> _Ran:
    config = result.maybe_fields("config") or config
    tokens = result.maybe_fields("agent_result") or Fields({}, result.place)
    execution = result.maybe_fields("agent_execution") or Fields({}, result.place)
    cached, given, got = (tokens.maybe_count(f"n_{kind}_tokens") for kind in ("cache", "input", "output"))
    checksum = result.maybe_text("task_checksum")
    trial = Trial(
        task=_short(result.text("task_name")),
        outcome=_outcome(result, found),
        place=result.place,
        order=f"{result.maybe_text('started_at') or '~'} {result.maybe_text('trial_name') or ''}",
        facts={
            "tokens_in": given,
            "tokens_cached": cached,
            "tokens_out": got,
            "cost": priced(tokens.maybe_amount("cost_usd")),
            "working_s": execution.seconds("started_at", "finished_at"),
            "started_at": result.maybe_time("started_at"),
            "sample_id": result.maybe_text("trial_name") or "",
            "environment_digest": f"harbor task_checksum {checksum}" if checksum else UNRECORDED,
        },
    )
    agent, dataset = _agent(config, result), _dataset(result, config)
    return _Ran(trial, agent, dataset, config, result.text("task_name"))


def _outcome(result: Fields, found: Findings) -> Outcome:
    raised = result.maybe_fields("exception_info")
    kind = raised.text("exception_type") if raised else None
    limit: Limit | None = "wall" if kind == TIMEOUT else None
    try:
        reward = _reward(result)
    except RecordError as damage:
        found.damaged(damage)
        return Outcome(_execution(kind), limit, "unscored", "unreadable")
    if reward is None:
        return Outcome(_execution(kind), limit, "unscored", kind or "no_reward")
    if kind not in (None, TIMEOUT):
        found.note(f"a trial with {kind} has a reward all the same: both are kept")
    return from_reward(reward, found.options, _execution(kind), limit, "tests_failed")


def _execution(kind: str | None) -> Execution:
    if kind is None:
        return "completed"
    return "limit" if kind == TIMEOUT else EXECUTIONS.get(kind, "harness_error")


def _reward(result: Fields) -> float | None:
    """Return the reward: of several the one called so; older records have it alone."""
    verdict = result.maybe_fields("verifier_result")
    if verdict is None:
        return None
    rewards = verdict.maybe_fields("rewards")
    if rewards is None or not rewards.data:
        return verdict.maybe_amount("reward")
    if "reward" in rewards.data:
        return rewards.maybe_amount("reward")
    if len(rewards.data) > 1:
        raise RecordError(f"{rewards.place}: {len(rewards.data)} rewards and none called `reward`")
    return rewards.maybe_amount(next(iter(rewards.data)))


def _agent(config: Fields, result: Fields) -> str | None:
    """Return agent and model as the trial's config names them; older records name them in the result alone."""
    agent = config.maybe_fields("agent")
    if agent is not None:
        name = agent.maybe_text("name") or agent.maybe_text("import_path")
        return "/".join(part for part in (name, agent.maybe_text("model_name")) if part) or None
    info = result.maybe_fields("agent_info")
    if info is None:
        return None
    model = info.maybe_fields("model_info")
    names = (info.maybe_text("name"), model and model.maybe_text("provider"), model and model.maybe_text("name"))
    return "/".join(part for part in names if part) or None


def _dataset(result: Fields, config: Fields) -> str | None:
    task = config.maybe_fields("task")
    return result.maybe_text("source") or (task.maybe_text("source") if task else None)


def _short(task: str) -> str:
    """Return a task's name without its organisation, or its folder's: older records have no other."""
    return task.rstrip("/").rsplit("/", maxsplit=1)[-1] or task


def _of_one_agent(rans: Sequence[_Ran], found: Findings) -> list[_Ran]:
    agents = sorted({ran.agent for ran in rans if ran.agent})
    only = found.options.only
    if only is not None and only not in agents:
        raise RecordError(f"{found.source.root}: no trials of {only!r}; there are {', '.join(agents) or 'none'}")
    if only is None and len(agents) > 1:
        raise RecordError(
            f"{found.source.root}: trials of {len(agents)} agents, and a cell has one; choose one: {', '.join(agents)}"
        )
    return [ran for ran in rans if ran.agent in (None, only or (agents[0] if agents else None))]


def _panels(
    rans: Sequence[_Ran], found: Findings, replicates: int | None, total: int | None
) -> list[tuple[Planned, list[Trial]]]:
    named = sorted({ran.dataset for ran in rans if ran.dataset}) or [NAME]
    by_dataset: dict[str, list[_Ran]] = {dataset: [] for dataset in named}
    for ran in rans:
        by_dataset[ran.dataset or named[0]].append(ran)
    planned = sum(len({ran.trial.task for ran in part}) * (replicates or 0) for part in by_dataset.values())
    missing = max(0, (total or 0) - max(planned, len(rans)))
    if total is not None and total < len(rans):
        found.note(f"result.json speaks of {total} trials, and there are {len(rans)}")
    if missing:
        found.note(f"{missing} of {total} planned trials left no folder; their tasks are not named")
    parts = []
    for dataset, part in by_dataset.items():
        _check_names(part, found)
        unnamed = missing if dataset == named[0] else 0
        parts.append((Planned(dataset, (), replicates, unnamed, REWARD), [ran.trial for ran in part]))
    return parts


def _check_names(rans: Sequence[_Ran], found: Findings) -> None:
    """Refuse a trial that stands twice, and two tasks that differ only by their organisation."""
    named: dict[str, str] = {}
    trials: set[str] = set()
    for ran in rans:
        own = str(ran.trial.facts.get("sample_id") or ran.trial.place)
        if own in trials:
            raise RecordError(f"{ran.trial.place}: the trial {own!r} stands twice")
        trials.add(own)
        whole = named.setdefault(ran.trial.task, ran.named)
        if whole != ran.named and "/" in whole and "/" in ran.named:
            raise RecordError(f"{ran.trial.place}: the tasks {whole!r} and {ran.named!r} have one name")


def _know(config: Fields, found: Findings, suites: Sequence[str]) -> None:
    """Enter what a trial's config says of the system and of its limits."""
    try:
        agent = config.maybe_fields("agent") or Fields({}, config.place)
        found.knows("model.base", agent.maybe_text("model_name"))
        found.knows("harness.solver", agent.maybe_text("import_path") or agent.maybe_text("name"))
        kwargs = agent.maybe_fields("kwargs")
        for key, value in (kwargs.data if kwargs else {}).items():
            if isinstance(value, bool | int | float | str):
                found.knows(f"harness.with.{factor_key(key)}", value)
        for suite in suites:
            head = f"evaluate.{factor_key(found.suite(suite))}"
            for key in [key for key in config.data if key.endswith("timeout_multiplier")]:
                found.knows(f"{head}.{key}", config.maybe_amount(key))
            for section, keys in OVERRIDES.items():
                part = config.maybe_fields(section) or Fields({}, config.place)
                for key in keys:
                    found.knows(f"{head}.{section}.{key}", part.maybe_amount(key))
    except RecordError as damage:
        found.damaged(damage)


def _publish(result: Fields, suite: str, found: Findings) -> None:
    """Enter the mean that Harbor wrote down, where there is one."""
    try:
        stats = result.maybe_fields("stats")
        evals = stats.maybe_fields("evals") if stats else None
        if evals is None or len(evals.data) != 1:
            return
        one = evals.fields(next(iter(evals.data)))
        for metric in one.list_of_fields("metrics"):
            value = metric.maybe_number("mean")
            if value is not None:
                found.published.append(Published(found.suite(suite), "harbor_mean", value, one.place))
    except RecordError as damage:
        found.damaged(damage)
