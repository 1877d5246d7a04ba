from multiprocessing import get_context
from pathlib import Path

import pytest

from arena.errors import RecordError
from arena.records.store import Store, stage_key


def test_a_key_depends_on_the_inputs_and_not_on_their_order():
    assert stage_key("train", {"a": 1, "b": 2}) == stage_key("train", {"b": 2, "a": 1})
    assert stage_key("train", {"a": 1}) != stage_key("train", {"a": 2})
    assert stage_key("train", {"a": 1}) != stage_key("package", {"a": 1})


def test_a_slot_is_done_once_its_record_is_written(tmp_path: Path):
    store = Store(tmp_path)
    with store.held("train", "k") as slot:
        assert slot.record is None
        (slot.output / "half").write_text("left by an interrupted attempt")
    with store.held("train", "k") as slot:
        assert (slot.output / "half").exists()
        slot.finish({"seed": 0}, {"steps": 3})
    assert store.slot("train", "k").record == {"steps": 3}


def test_a_record_of_another_slot_is_refused(tmp_path: Path):
    store = Store(tmp_path)
    with store.held("train", "k") as slot:
        slot.finish({}, {})
    slot.folder.rename(tmp_path / "train" / "other")
    with pytest.raises(RecordError, match="not the record of this train stage"):
        _ = store.slot("train", "other").record


def _add_one(root: Path) -> None:
    with Store(root).held("count", "k") as slot:
        counter = slot.output / "n"
        counter.write_text(str(int(counter.read_text()) + 1 if counter.exists() else 1))


def test_two_processes_never_hold_one_slot_at_once(tmp_path: Path):
    context = get_context("spawn")
    workers = [context.Process(target=_add_one, args=(tmp_path,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (tmp_path / "count" / "k" / "output" / "n").read_text() == "4"
