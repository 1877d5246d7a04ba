from pathlib import Path

import pytest

from arena.errors import RecordError
from arena.records.files import read_json, whole_file, write_json


def half_written(path: Path) -> None:
    with whole_file(path) as draft:
        draft.write_text("half")
        raise OSError("full")


def test_a_file_is_replaced_only_when_all_of_it_was_written(tmp_path: Path):
    path = tmp_path / "a.json"
    write_json(path, {"n": 1})
    with pytest.raises(OSError, match="full"):
        half_written(path)
    assert read_json(path) == {"n": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_a_damaged_record_is_named_with_its_line(tmp_path: Path):
    path = tmp_path / "a.json"
    path.write_text('{\n "n": 1,\n oops}')
    with pytest.raises(RecordError, match=r"a\.json:3: damaged record"):
        read_json(path)
    with pytest.raises(RecordError, match="no such record"):
        read_json(tmp_path / "b.json")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, float("nan"))
