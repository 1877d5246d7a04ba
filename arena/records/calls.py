"""One row a generation call: what a model was shown, what it wrote, and how likely that was.

Every engine writes these columns, so that a policy's behaviour can be replayed, priced and trained on whichever
engine served it. While a run goes on, rows are appended to an Arrow IPC stream (`*.arrows`), each flushed as one
record batch: a killed process leaves everything but, at worst, the row that it was writing. `finish` turns the
stream into parquet.
"""

import logging
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from arena.errors import RecordError, boundary

if TYPE_CHECKING:
    from io import FileIO

    import pyarrow as pa

SCHEMA_VERSION = 1

FinishReason = Literal["stop", "max_tokens", "model_length"]


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call; columns of `calls.parquet`, in this order."""

    schema_version: int = SCHEMA_VERSION
    """int32."""
    cell: str | None = None
    """string; null where the engine was not told which cell it serves."""
    suite: str | None
    """string; null, like the next four, for a call outside every episode."""
    task: str | None
    """string."""
    replicate: int | None
    """int32, from 1."""
    attempt: int | None
    """int32, from 1."""
    episode: str | None
    """string: the episode's id, `suite/task/rR/aA`."""
    parent_episode: str | None = None
    """string: the id of the episode whose agent started this one, or null."""
    call: int
    """int32: position of the call in its episode, from 0, in order of the calls' beginnings."""
    call_id: str
    """string: unique; it is also the id of the assistant message in the Inspect log."""
    parent_call_id: str | None
    """string: the call that wrote the last assistant message of this prompt; null for the first of a conversation."""
    policy_version: str
    """string: digest of the weights that acted."""
    prompt_tokens: list[int] | None
    """list<int32>: exactly what the model was given, template included; null for a prompt too long to be tokenised."""
    generated_tokens: list[int]
    """list<int32>: exactly what was sampled, the stop token included; empty where the prompt did not fit."""
    logprobs: list[float]
    """list<float32>, nats, one for each generated token: log-probability of the token under the distribution that it
    was drawn from, that is after temperature and after top_p, with what top_p kept renormalised. At temperature 0
    nothing is drawn, and it is the model's own: temperature 1, no truncation."""
    finish_reason: FinishReason
    """string: `stop` (at a stop token, the last of generated_tokens), `max_tokens`, `model_length` (context full)."""
    temperature: float
    """float64; 0 is greedy."""
    top_p: float
    """float64, in (0, 1]."""
    seed: int
    """uint64: seed of this call's own random numbers."""
    started_at: datetime
    """timestamp[us, UTC]: when the call reached the engine."""
    seconds: float
    """float64: from then until its last token, waiting for the batch included."""


def call_schema() -> "pa.Schema":
    """Return the Arrow schema of `Call`."""
    import pyarrow as pa

    types = {
        "schema_version": pa.int32(),
        "replicate": pa.int32(),
        "attempt": pa.int32(),
        "call": pa.int32(),
        "prompt_tokens": pa.list_(pa.int32()),
        "generated_tokens": pa.list_(pa.int32()),
        "logprobs": pa.list_(pa.float32()),
        "temperature": pa.float64(),
        "top_p": pa.float64(),
        "seed": pa.uint64(),
        "started_at": pa.timestamp("us", tz="UTC"),
        "seconds": pa.float64(),
    }
    return pa.schema([pa.field(name, types.get(name, pa.string())) for name in Call.__dataclass_fields__])


@dataclass
class CallWriter:
    """Appends calls to a stream; goes on with one that a killed process left, dropping the row that it cut off.

    One process writes a stream at a time.
    """

    path: Path
    _file: "FileIO | None" = field(default=None, init=False, repr=False)
    _stream: "pa.RecordBatchStreamWriter | None" = field(default=None, init=False, repr=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, *calls: Call) -> None:
        """Write calls and hand them to the operating system before returning."""
        import pyarrow as pa

        schema = call_schema()
        batch = pa.RecordBatch.from_pylist([asdict(call) for call in calls], schema=schema)
        try:
            if self._stream is None:
                self._open(schema)
            assert self._stream is not None
            self._stream.write_batch(batch)
        except OSError as cause:
            self._drop()
            raise RecordError(f"{self.path}: a call could not be recorded: {cause}") from cause

    def close(self) -> None:
        """End the stream; a later `append` begins another in the same file."""
        if self._stream is not None and self._file is not None:
            self._stream.close()
        self._drop()

    def finish(self) -> Path | None:
        """End the stream and turn it into parquet; none where nothing was ever written."""
        self.close()
        return finish(self.path) if self.path.exists() else None

    def _drop(self) -> None:
        """Forget a stream whose last write failed: the next `append` mends the file and begins another."""
        if self._file is not None:
            self._file.close()
        self._stream = self._file = None

    def _open(self, schema: "pa.Schema") -> None:
        import pyarrow as pa

        if self.path.with_suffix(".parquet").exists():
            raise RecordError(f"{self.path}: this record of calls is finished; give the next attempt a file of its own")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.is_file():
            _mend(self.path)
        self._file = self.path.open("ab", buffering=0)
        self._stream = pa.ipc.new_stream(self._file, schema)


def read_calls(path: Path) -> "pa.Table":
    """Return the calls of a stream or of its finished parquet.

    What a killed process cut off is left out: the table's schema metadata says how much, as `lost_bytes` and
    `lost_calls` (calls are written one by one, so a cut costs one), and a warning is logged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    finished = path.with_suffix(".parquet")
    if finished.exists() and not (path != finished and path.exists()):
        return pq.read_table(finished, schema=call_schema())
    batches, whole = _whole_batches(path)
    lost_bytes = path.stat().st_size - whole
    if lost_bytes:
        logging.getLogger(__name__).warning("%s: the last call was cut off (%d bytes)", path, lost_bytes)
    lost = {"lost_bytes": str(lost_bytes), "lost_calls": str(int(lost_bytes > 0))}
    return pa.Table.from_batches(batches, schema=call_schema()).replace_schema_metadata(lost)


def finish(path: Path) -> Path:
    """Turn a stream into parquet beside it and return the parquet's path; doing it again does nothing."""
    import pyarrow.parquet as pq

    finished = path.with_suffix(".parquet")
    if path == finished or not path.exists():
        if not finished.exists():
            raise RecordError(f"{path}: no calls were recorded here")
        return finished
    partial = finished.with_suffix(f".{os.getpid()}.partial")
    table = read_calls(path)
    try:
        with boundary(RecordError, f"{path}: could not be turned into parquet; the calls are safe where they are"):
            pq.write_table(table, partial, compression="zstd")
            partial.replace(finished)
    finally:
        partial.unlink(missing_ok=True)
    path.unlink()
    return finished


def _whole_batches(path: Path) -> "tuple[list[pa.RecordBatch], int]":
    """Return the batches that are there to the last byte, and the offset at which they end."""
    import pyarrow as pa

    batches: list[pa.RecordBatch] = []
    whole = 0
    for end, batch in _messages(path):
        whole = end
        if batch is not None:
            batches.append(batch)
    return batches, whole


def _messages(path: Path) -> "Iterator[tuple[int, pa.RecordBatch | None]]":
    """Yield each whole message's end and, for a record batch, the batch; stop at a cut."""
    import pyarrow as pa

    size = path.stat().st_size
    expected = call_schema()
    with pa.OSFile(str(path), "rb") as source:
        while source.tell() < size:
            try:
                message = pa.ipc.read_message(source)
            except EOFError:  # a stream's own end mark: another may follow
                yield source.tell(), None
                continue
            except (OSError, pa.ArrowInvalid):
                return
            if message.type == "schema":
                _check_schema(path, pa.ipc.read_schema(message), expected)
                yield source.tell(), None
            else:
                yield source.tell(), pa.ipc.read_record_batch(message, expected)


def _check_schema(path: Path, found: "pa.Schema", expected: "pa.Schema") -> None:
    if not found.equals(expected):
        differing = sorted(set(map(str, found)) ^ set(map(str, expected)))
        raise RecordError(f"{path}: no calls of schema {SCHEMA_VERSION}: columns differ: {', '.join(differing)}")


def _mend(path: Path) -> None:
    """Cut off what a killed process left half written and end its stream, so that another can follow."""
    _, whole = _whole_batches(path)
    with path.open("r+b") as opened:
        opened.truncate(whole)
        opened.seek(whole)
        if whole:
            opened.write(b"\xff\xff\xff\xff\x00\x00\x00\x00")
