from pathlib import Path

import pytest

from arena.errors import LockedError, RecordError
from arena.records.ledgers import Ledger


def test_entries_come_back_in_order(tmp_path: Path):
    ledger = Ledger(tmp_path / "submissions.jsonl")
    ledger.append("submitted", {"checkpoint": "step_900"})
    ledger.append("withdrawn", {"checkpoint": "step_900", "reason": "its own rule"})
    assert [(entry.event, entry.data["checkpoint"]) for entry in ledger.entries()] == [
        ("submitted", "step_900"),
        ("withdrawn", "step_900"),
    ]


def test_a_changed_line_is_noticed_on_reading_and_on_writing(tmp_path: Path):
    ledger = Ledger(tmp_path / "l.jsonl")
    ledger.append("a", {"x": 1})
    ledger.append("b", {"x": 2})
    ledger.path.write_text(ledger.path.read_text().replace('"x": 1', '"x": 9'))
    with pytest.raises(LockedError, match=r"l\.jsonl:2: the line before this one was changed"):
        ledger.entries()
    with pytest.raises(LockedError):
        ledger.append("c", {})


def test_a_removed_line_is_noticed(tmp_path: Path):
    ledger = Ledger(tmp_path / "l.jsonl")
    for event in "abc":
        ledger.append(event, {})
    lines = ledger.path.read_text().splitlines(keepends=True)
    ledger.path.write_text(lines[0] + lines[2])
    with pytest.raises(LockedError):
        ledger.entries()


def test_a_half_written_line_is_named(tmp_path: Path):
    ledger = Ledger(tmp_path / "l.jsonl")
    ledger.append("a", {})
    with ledger.path.open("a") as file:
        file.write('{"event": "b", ')
    with pytest.raises(RecordError, match=r"l\.jsonl:2: damaged ledger line"):
        ledger.entries()
