"""What SWE-bench's graders write: summaries, old and new, and a report for each instance."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.errors import RecordError
from arena.records.importers.patches import Said, Verdict
from arena.records.importers.reading import Fields, entries, shown
from arena.records.importers.rows import Findings
from arena.spec.factors import UNRECORDED

_OLD_LISTS: dict[str, tuple[Said, str | None]] = {
    "no_generation": ("empty", None),
    "no_logs": ("error", "no_logs"),
    "install_fail": ("infra", "install_fail"),
    "reset_failed": ("infra", "reset_failed"),
    "test_errored": ("error", "test_errored"),
    "test_timeout": ("error", "test_timeout"),
    "no_apply": ("unresolved", "patch_does_not_apply"),
    "resolved": ("resolved", None),
}
"""The lists of the first graders and of SWE-bench/experiments, and what an instance in one of them came to."""

_LISTS = ("completed", "incomplete", "empty_patch", "resolved", "unresolved")
_LATER_LISTS = ("error", "submitted", "infra_failure", "ambiguous_failure")

_TRIED = ("applied", "with_logs", "generated")
"""Lists of instances that were tried; one that stands in no other list was not resolved."""


@dataclass(frozen=True)
class Summary:
    place: str
    verdicts: Mapping[str, Verdict]
    total: int | None
    """All planned instances; none where the form does not say."""
    names_failures: bool

    @property
    def resolved(self) -> list[str]:
        return [task for task, verdict in self.verdicts.items() if verdict.said == "resolved"]


def summary_kind(path: Path) -> str | None:
    """Return which form of summary a file has, by its beginning and without trusting it: `new`, `old` or none."""
    if path.suffix != ".json" or not path.is_file():
        return None
    with path.open("rb") as file:
        head = file.read(1 << 22)
    if b'"resolved_ids"' in head and b'"total_instances"' in head:
        return "new"
    return "old" if b'"resolved"' in head and b'"no_generation"' in head else None


def read_summary(path: Path, found: Findings) -> Summary:
    """Read a summary; raises `RecordError` for one whose lists and counts contradict each other."""
    data = found.source.object(path)
    return _new(data, found) if summary_kind(path) == "new" else _old(data, found)


def _new(data: Fields, found: Findings) -> Summary:
    total = data.count("total_instances", 10**6)
    lists = {key: data.ids(f"{key}_ids") for key in _LISTS}
    lists |= {key: data.maybe_ids(f"{key}_ids") or () for key in _LATER_LISTS}
    for key, ids in lists.items():
        stated = data.maybe_count(f"{key}_instances")
        if stated is not None and stated != len(ids):
            raise RecordError(f"{data.place}: {key}_instances is {stated}, and {key}_ids has {len(ids)}")
    sets = {key: set(ids) for key, ids in lists.items()}
    _check(sets, total, data.place)
    named = sets["completed"] | sets["incomplete"] | sets["empty_patch"] | sets["error"]
    if strange := sets["submitted"] - named:
        found.note(f"{len(strange)} submitted instances are not of the data set and were not graded")
    if sets["ambiguous_failure"]:
        found.note(f"{len(sets['ambiguous_failure'])} failures may be of the environment (ambiguous_failure_ids)")
    reasons = data.maybe_fields("failure_reasons") or Fields({}, data.place)
    verdicts = {task: _verdict(task, sets, reasons, data.place) for task in sorted(named)}
    return Summary(data.place, verdicts, total, names_failures=True)


def _check(sets: Mapping[str, set[str]], total: int, place: str) -> None:
    """Raise `RecordError` where a summary's lists do not fit each other."""
    failed, maybe_environment = sets["unresolved"] | sets["error"], sets["infra_failure"] | sets["ambiguous_failure"]
    tried = sets["completed"] | sets["error"]
    apart = (sets["incomplete"], sets["empty_patch"], tried)
    if (named := len(set().union(*apart))) != total:
        raise RecordError(f"{place}: total_instances is {total}, and its lists name {named}")
    if sum(map(len, apart)) != total or sets["resolved"] & failed:
        raise RecordError(f"{place}: an instance stands in two lists that exclude each other")
    if not (sets["resolved"] | sets["unresolved"]) <= sets["completed"] <= sets["resolved"] | failed:
        raise RecordError(f"{place}: completed_ids are not what is resolved, unresolved or an error")
    if not maybe_environment <= failed:
        raise RecordError(f"{place}: an instance failed by its environment, and stands in no list of failures")
    if sets["submitted"] and not tried | sets["empty_patch"] <= sets["submitted"]:
        raise RecordError(f"{place}: an instance was graded, and is not among submitted_ids")


def _verdict(task: str, sets: Mapping[str, set[str]], reasons: Fields, place: str) -> Verdict:
    if task in sets["infra_failure"]:
        return Verdict("infra", place, f"infra: {reasons.maybe_text(task) or UNRECORDED}")
    if task in sets["error"]:
        return Verdict("error", place)
    if task in sets["resolved"]:
        return Verdict("resolved", place)
    if task in sets["unresolved"]:
        return Verdict("unresolved", place, UNRECORDED)
    return Verdict("empty" if task in sets["empty_patch"] else "incomplete", place)


def _old(data: Fields, found: Findings) -> Summary:
    if any(not isinstance(data.value(key), list) for key in ("resolved", "no_generation")):
        raise RecordError(f"{data.place}: expected lists of ids as resolved and no_generation")
    verdicts: dict[str, Verdict] = {}
    lists = {key: data.maybe_ids(key) or () for key in (*_OLD_LISTS, *_TRIED)}
    for key, (said, reason) in _OLD_LISTS.items():
        for task in lists[key]:
            if task in verdicts and "resolved" in (said, verdicts[task].said):
                raise RecordError(f"{data.place}: {shown(task)} is resolved and stands in another list as well")
            verdicts.setdefault(task, Verdict(said, f"{data.place}: {key}", reason))
    for key in _TRIED:
        for task in lists[key]:
            failed = Verdict("unresolved", f"{data.place}: {key}", "tests_failed" if key == "applied" else UNRECORDED)
            verdicts.setdefault(task, failed)
    return Summary(data.place, verdicts, None, names_failures=any(lists[key] for key in _TRIED))


def instance_verdicts(folder: Path, found: Findings) -> dict[str, Verdict]:
    """Return the verdict of each instance's report; one that cannot be read gives none."""
    own = folder / "report.json"
    files = [own] if own.is_file() else [one / "report.json" for one in entries(folder) if one.is_dir()]
    verdicts: dict[str, Verdict] = {}
    for file in files:
        task = file.parent.name
        if not file.is_file():
            verdicts[task] = Verdict("error", str(file), "no_report")
            continue
        try:
            verdicts[task] = _report(found.source.object(file), task, found)
        except RecordError as damage:
            found.damaged(damage)
            verdicts[task] = Verdict("error", str(file), "unreadable")
    return verdicts


def _report(data: Fields, task: str, found: Findings) -> Verdict:
    if set(data.data) != {task}:
        raise RecordError(f"{data.place}: expected the report of {task!r}, got one of {shown(', '.join(data.data))}")
    one = data.fields(task)
    resolved = one.flag("resolved")
    infra = one.maybe_flag("infra_failure")
    no_patch = one.maybe_flag("patch_is_None") or one.maybe_flag("patch_exists") is False
    applied = one.maybe_flag("patch_successfully_applied")
    if resolved and (no_patch or infra or applied is False or _failed(one)):
        raise RecordError(f"{one.place}: resolved, and the rest of the report says otherwise")
    if resolved:
        return Verdict("resolved", one.place)
    if infra:
        return Verdict("infra", one.place, f"infra: {one.maybe_text('infra_failure_reason') or UNRECORDED}")
    if one.maybe_text("infra_failure_reason"):
        found.note(f"{task}: failed, perhaps by its environment ({one.maybe_text('infra_failure_reason')})")
    if no_patch:
        return Verdict("empty", one.place)
    return Verdict("unresolved", one.place, "patch_does_not_apply" if applied is False else "tests_failed")


def _failed(report: Fields) -> bool:
    """Whether a test that must pass did not."""
    status = report.maybe_fields("tests_status")
    lists = [status.maybe_fields(key) for key in ("FAIL_TO_PASS", "PASS_TO_PASS")] if status else []
    return any(one is not None and bool(one.value("failure")) for one in lists)
