import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from arena.errors import RecordError
from arena.records.calls import Call, CallWriter, call_schema, finish, read_calls


def a_call(number: int) -> Call:
    return Call(
        cell="demo",
        suite="mini",
        task="repo-1",
        replicate=1,
        attempt=2,
        episode="mini/repo-1/r1/a2",
        call=number,
        call_id=f"mini/repo-1/r1/a2/c{number}",
        parent_call_id=f"mini/repo-1/r1/a2/c{number - 1}" if number else None,
        policy_version="ab" * 32,
        prompt_tokens=list(range(number + 3)),
        generated_tokens=[7, 8, 2],
        logprobs=[-0.5, -1.25, 0.0],
        finish_reason="stop",
        temperature=1.0,
        top_p=0.95,
        seed=2**64 - 1 - number,
        started_at=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
        seconds=0.25,
    )


def write(path: Path, count: int, first: int = 0) -> None:
    with CallWriter(path) as writer:
        for number in range(first, first + count):
            writer.append(a_call(number))


def test_what_is_written_is_read_back_column_by_column(tmp_path: Path) -> None:
    write(tmp_path / "calls.arrows", 3)
    table = read_calls(tmp_path / "calls.arrows")
    assert table.schema.names == list(Call.__dataclass_fields__)
    rows = [Call(**row) for row in table.to_pylist()]
    assert rows == [a_call(number) for number in range(3)]


def test_the_layout_is_final() -> None:
    # Other engines and readers rely on it: a change here is a new schema version.
    types = [f"{field.name}: {field.type}" for field in call_schema()]
    assert types == [
        "schema_version: int32",
        "cell: string",
        "suite: string",
        "task: string",
        "replicate: int32",
        "attempt: int32",
        "episode: string",
        "parent_episode: string",
        "call: int32",
        "call_id: string",
        "parent_call_id: string",
        "policy_version: string",
        "prompt_tokens: list<item: int32>",
        "generated_tokens: list<item: int32>",
        "logprobs: list<item: float>",
        "finish_reason: string",
        "temperature: double",
        "top_p: double",
        "seed: uint64",
        "started_at: timestamp[us, tz=UTC]",
        "seconds: double",
    ]


def test_a_stream_cut_at_any_byte_keeps_every_whole_call_and_can_be_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "calls.arrows"
    sizes = []
    with CallWriter(path) as writer:
        for number in range(3):
            writer.append(a_call(number))
            sizes.append(path.stat().st_size)
    whole = path.read_bytes()
    for cut in range(0, len(whole) + 1, 17):
        path.write_bytes(whole[:cut])
        kept = sum(size <= cut for size in sizes)
        table = read_calls(path)
        assert table.num_rows == kept
        lost = int(table.schema.metadata[b"lost_bytes"])
        assert (lost > 0) == (table.schema.metadata[b"lost_calls"] == b"1")
        write(path, 1, first=50)
        again = read_calls(path)
        assert again["call"].to_pylist() == [*range(kept), 50]
        assert again.schema.metadata[b"lost_bytes"] == b"0"


def test_streams_that_were_closed_and_opened_again_are_one(tmp_path: Path) -> None:
    path = tmp_path / "calls.arrows"
    for first in (0, 2, 4):
        write(path, 2, first)
    assert read_calls(path)["call"].to_pylist() == list(range(6))


def test_a_writer_killed_between_calls_leaves_all_that_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "calls.arrows"
    script = (
        "import sys, time; sys.path.insert(0, sys.argv[2]); from test_calls import *\n"
        "writer = CallWriter(Path(sys.argv[1]))\n"
        "for number in range(5): writer.append(a_call(number))\n"
        "print('written', flush=True); time.sleep(60)"
    )
    root = Path(__file__).parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as writing:
        assert writing.stdout is not None
        assert writing.stdout.readline() == b"written\n"
        writing.send_signal(signal.SIGKILL)
    assert read_calls(path).num_rows == 5


def test_finishing_makes_one_parquet_and_may_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "calls.arrows"
    write(path, 4)
    before = read_calls(path)
    finished = finish(path)
    assert finish(path) == finished == finish(finished)
    assert [file.name for file in tmp_path.iterdir()] == ["calls.parquet"]
    with pytest.raises(RecordError, match="finished; give the next attempt a file of its own"):
        write(path, 1)
    assert read_calls(path).equals(before)
    assert read_calls(finished).equals(before)
    assert pq.read_schema(finished).names == call_schema().names


def test_a_writer_finishes_what_it_wrote_and_nothing_where_it_wrote_nothing(tmp_path: Path) -> None:
    writer = CallWriter(tmp_path / "calls.arrows")
    assert writer.finish() is None
    writer.append(a_call(0))
    assert writer.finish() == tmp_path / "calls.parquet"
    assert list(tmp_path.iterdir()) == [tmp_path / "calls.parquet"]


def test_a_record_that_cannot_be_finished_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "calls.arrows"
    write(path, 2)
    (tmp_path / "calls.parquet").mkdir()
    with pytest.raises(RecordError, match="the calls are safe where they are"):
        finish(path)
    assert read_calls(path).num_rows == 2
    assert {file.name for file in tmp_path.iterdir()} == {"calls.arrows", "calls.parquet"}


def test_a_missing_record_and_a_foreign_file_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa

    with pytest.raises(RecordError, match="no calls were recorded"):
        finish(tmp_path / "calls.arrows")
    foreign = tmp_path / "foreign.arrows"
    schema = pa.schema([("call", pa.int64())])
    with pa.OSFile(str(foreign), "wb") as sink, pa.ipc.new_stream(sink, schema) as stream:
        stream.write_batch(pa.RecordBatch.from_pylist([{"call": 1}], schema=schema))
    with pytest.raises(RecordError, match=r"columns differ.*call_id"):
        read_calls(foreign)


def test_a_full_disk_is_one_clear_error() -> None:
    with pytest.raises(RecordError, match=r"could not be recorded.*No space left"):
        CallWriter(Path("/dev/full")).append(a_call(0))
