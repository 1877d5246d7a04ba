"""Which comparisons were asked for: an append-only ledger beside the runs.

Rollups and boards show every one of them, so that nobody can show only those that came out well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.errors import RecordError
from arena.records.ledgers import Ledger
from arena.records.run import RunRecord
from arena.report.compare import Comparison, Rules, compare

LEDGER = "comparisons.jsonl"


@dataclass(frozen=True)
class Asked:
    """One question: whether the treatment makes `b` differ from `a`."""

    a: str
    """The reference run, `cell/digest8`."""
    b: str
    treatment: str | None
    rules: Rules


def question(comparison: Comparison) -> Asked:
    return Asked(comparison.a.run, comparison.b.run, comparison.treatment, comparison.rules)


def remember(root: Path, comparison: Comparison) -> None:
    """Enter a comparison in the ledger of the runs' folder, once."""
    if question(comparison) not in asked(root):
        Ledger(root / LEDGER).append("compared", asdict(question(comparison)))


def asked(root: Path) -> tuple[Asked, ...]:
    """Return every comparison that was asked for, in order."""
    entries = Ledger(root / LEDGER).entries()
    try:
        return tuple(Asked(**{**entry.data, "rules": Rules(**entry.data["rules"])}) for entry in entries)
    except (KeyError, TypeError) as damage:
        raise RecordError(f"{root / LEDGER}: a line is no comparison ({damage!r}); restore the file") from None


def answers(questions: Iterable[Asked], runs: Sequence[RunRecord]) -> tuple[Comparison, ...]:
    """Carry out every comparison of which both runs are among `runs`."""
    by_id = {run.id: run for run in runs}
    return tuple(
        compare(by_id[one.a], by_id[one.b], one.treatment, rules=one.rules)
        for one in questions
        if one.a in by_id and one.b in by_id
    )
