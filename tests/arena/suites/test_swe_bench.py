import gzip
import json
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.suites.swe_bench import SweBenchRow, read_rows

VERIFIED = Path(__file__).parents[4] / "shared" / "data" / "swe_bench_verified.jsonl.gz"

ROW = {
    "instance_id": "owner__name-1",
    "repo": "owner/name",
    "base_commit": "a" * 40,
    "patch": "p",
    "test_patch": "t",
    "problem_statement": "It is broken.",
    "hints_text": "",
    "created_at": "2024-01-01T00:00:00Z",
    "version": "1.0",
    "FAIL_TO_PASS": '["tests/test_a.py::test_b[x-1]"]',
    "PASS_TO_PASS": "[]",
    "environment_setup_commit": "",
    "difficulty": "<15 min fix",
    "image": "owner/image:latest",
    "eval_script": "#!/bin/bash\n",
    "log_parser": "parse_log_pytest",
    "eval_type": "pass_and_fail",
}


def file_of(folder: Path, *rows: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_test_names_are_read_from_their_json_string(tmp_path):
    (row,) = read_rows(file_of(tmp_path, ROW), SweBenchRow)
    assert row.FAIL_TO_PASS == ("tests/test_a.py::test_b[x-1]",)
    assert row.PASS_TO_PASS == ()


def test_test_names_may_be_a_list(tmp_path):
    (row,) = read_rows(file_of(tmp_path, {**ROW, "PASS_TO_PASS": ["a", "b"]}), SweBenchRow)
    assert row.PASS_TO_PASS == ("a", "b")


def test_columns_come_back_as_the_file_holds_them(tmp_path):
    (row,) = read_rows(file_of(tmp_path, ROW), SweBenchRow)
    assert row.columns() == ROW


def test_columns_that_grading_does_not_need_are_dropped(tmp_path):
    (row,) = read_rows(file_of(tmp_path, {**ROW, "split": "test"}), SweBenchRow)
    assert row.columns() == ROW


def test_blank_lines_are_skipped(tmp_path):
    assert len(read_rows(file_of(tmp_path, ROW, ""), SweBenchRow)) == 1


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(ROW).encode()))
    assert read_rows(path, SweBenchRow)[0].instance_id == "owner__name-1"


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("base_commit", "main", "column 'base_commit'"),
        ("FAIL_TO_PASS", "[broken", "column 'FAIL_TO_PASS'.*no JSON list of test names"),
        ("FAIL_TO_PASS", '{"a": 1}', "column 'FAIL_TO_PASS'"),
        ("eval_type", "pass", "column 'eval_type'"),
    ],
)
def test_a_bad_column_is_named_with_file_and_line(tmp_path, column, value, message):
    path = file_of(tmp_path, ROW, {**ROW, "instance_id": "other-2", column: value})
    with pytest.raises(UsageError, match=rf"rows\.jsonl:2: {message}"):
        read_rows(path, SweBenchRow)


def test_rows_from_before_swebench_5_are_told_apart(tmp_path):
    old = {name: value for name, value in ROW.items() if name != "eval_script"}
    with pytest.raises(UsageError, match=r"'eval_script'.*rows made before swebench 5 lack it"):
        read_rows(file_of(tmp_path, old), SweBenchRow)


def test_a_line_that_is_no_json_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"rows\.jsonl:1: no JSON object"):
        read_rows(file_of(tmp_path, "{"), SweBenchRow)


def test_an_instance_that_stands_twice_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"rows\.jsonl:2: instance 'owner__name-1' stands here a second time"):
        read_rows(file_of(tmp_path, ROW, ROW), SweBenchRow)


def test_a_missing_file_is_one_clear_error(tmp_path):
    with pytest.raises(UsageError, match="cannot be read as SWE-bench rows"):
        read_rows(tmp_path / "none.jsonl", SweBenchRow)


def test_a_cut_off_archive_is_one_clear_error(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(ROW).encode() * 100)[:60])
    with pytest.raises(UsageError, match="cannot be read as SWE-bench rows"):
        read_rows(path, SweBenchRow)


@pytest.mark.skipif(not VERIFIED.exists(), reason="SWE-bench Verified's rows are not here")
def test_all_of_swe_bench_verified_is_read():
    rows = read_rows(VERIFIED, SweBenchRow)
    assert len(rows) == 500
    assert sum(len(row.FAIL_TO_PASS) for row in rows) > 500
