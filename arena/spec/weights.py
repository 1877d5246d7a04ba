"""What a set of weights is: its tensors and a digest that does not depend on how they were saved.

The digest is the sha256 over the tensors in order of their names, each as one line of JSON `[name, dtype, shape]`
followed by its bytes. Saving again or cutting into other shards changes nothing; one bit of one tensor does. Only
safetensors are read: their header says where every byte lies, so a damaged file is seen before it is used, and no
code of a checkpoint is run. Tensors are streamed; no more than a block is held in memory.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from arena.errors import RecordError

BITS = {
    "F64": 64,
    "F32": 32,
    "F16": 16,
    "BF16": 16,
    "F8_E4M3": 8,
    "F8_E5M2": 8,
    "F8_E8M0": 8,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "F4": 4,
    "C64": 64,
    "I64": 64,
    "I32": 32,
    "I16": 16,
    "I8": 8,
    "U64": 64,
    "U32": 32,
    "U16": 16,
    "U8": 8,
    "BOOL": 8,
}
"""Width of the element types of safetensors."""

BLOCK = 1 << 22
HEADER_LIMIT = 100_000_000
PICKLES = (".bin", ".pt", ".pth", ".ckpt")


@dataclass(frozen=True)
class TensorInfo:
    """One stored tensor."""

    name: str
    dtype: str
    """As safetensors names it: `BF16`, `F32`, …"""
    shape: tuple[int, ...]
    sha256: str
    """Of the tensor's bytes alone: two checkpoints' equal tensors are the frozen ones."""

    @property
    def size(self) -> int:
        """Bytes that the tensor takes."""
        return _size(self.dtype, self.shape)


@dataclass(frozen=True)
class WeightsDigest:
    """Which weights a folder holds."""

    digest: str
    """sha256 over sorted (name, dtype, shape, bytes)."""
    file_digests: Mapping[str, str]
    """File name to the sha256 of the whole file, for checking a copy."""
    tensors: tuple[TensorInfo, ...]
    """In order of their names."""

    @property
    def stored_dtypes(self) -> tuple[str, ...]:
        """Return the element types that occur, the one with the most bytes first."""
        return _by_bytes(self.tensors)

    @property
    def parameters(self) -> int:
        return sum(math.prod(tensor.shape) for tensor in self.tensors)


@dataclass(frozen=True)
class Inventory:
    """Which tensors training changed."""

    trained: tuple[str, ...]
    frozen: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True)
class _Stored:
    """Where a tensor's bytes lie."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    file: Path
    start: int
    end: int


def weights_digest(folder: Path) -> WeightsDigest:
    """Return the digest of a full checkpoint or a peft adapter.

    Raises
    ------
    RecordError
        Where there are no safetensors, a shard of the index is missing, or a file is damaged; names the file.
    """
    files = weight_files(folder)
    stored = _stored_tensors(folder, files)
    whole = hashlib.sha256()
    tensors = []
    for tensor in stored:
        whole.update(json.dumps([tensor.name, tensor.dtype, list(tensor.shape)]).encode() + b"\n")
        alone = hashlib.sha256()
        for block in _blocks(tensor.file, tensor.start, tensor.end):
            whole.update(block)
            alone.update(block)
        tensors.append(TensorInfo(tensor.name, tensor.dtype, tensor.shape, alone.hexdigest()))
    return WeightsDigest(whole.hexdigest(), {file.name: file_digest(file) for file in files}, tuple(tensors))


def check_weights(folder: Path) -> tuple[str, ...]:
    """Return the stored element types, most bytes first, or raise `RecordError` where a checkpoint is damaged.

    Reads headers and sizes only.
    """
    return _by_bytes(_stored_tensors(folder, weight_files(folder)))


def inventory(before: WeightsDigest, after: WeightsDigest) -> Inventory:
    """Return which tensors differ between two checkpoints of one architecture."""
    old = {tensor.name: tensor for tensor in before.tensors}
    new = {tensor.name: tensor for tensor in after.tensors}
    both = sorted(old.keys() & new.keys())
    return Inventory(
        trained=tuple(name for name in both if old[name] != new[name]),
        frozen=tuple(name for name in both if old[name] == new[name]),
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
    )


def weight_files(folder: Path) -> tuple[Path, ...]:
    """Return the files that a loader takes the weights from, sorted by name."""
    if not folder.is_dir():
        raise RecordError(f"{folder}: no such folder of weights")
    adapter = folder / "adapter_model.safetensors"
    single, index = folder / "model.safetensors", folder / "model.safetensors.index.json"
    if (folder / "adapter_config.json").is_file() and adapter.is_file():
        return (adapter,)
    if single.is_file() and index.is_file():
        raise RecordError(
            f"{folder}: has both {single.name} and {index.name}, and loaders differ in which they take; remove one"
        )
    if single.is_file():
        return (single,)
    if index.is_file():
        return tuple(folder / name for name in sorted(set(_weight_map(index).values())))
    raise RecordError(f"{folder}: {_why_no_weights(folder)}")


def file_digest(file: Path) -> str:
    """Return the sha256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _why_no_weights(folder: Path) -> str:
    loose = sorted(file.name for file in folder.glob("*.safetensors"))
    pickles = sorted(file.name for file in folder.iterdir() if file.suffix in PICKLES)
    if loose:
        return f"has {loose[0]}, but neither model.safetensors nor model.safetensors.index.json says what to load"
    if pickles:
        return f"{pickles[0]} is a pickle, which can run code when it is read; save the weights as safetensors"
    return "holds no weights (model.safetensors, model.safetensors.index.json or adapter_model.safetensors)"


def _weight_map(index: Path) -> Mapping[str, str]:
    try:
        weight_map = json.loads(index.read_bytes())["weight_map"]
        shards = {str(name): str(shard) for name, shard in weight_map.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise RecordError(f"{index}: is no index of shards: {type(cause).__name__}: {cause}") from cause
    for shard in sorted(set(shards.values())):
        if Path(shard).name != shard:
            raise RecordError(f"{index}: names the shard {shard!r}, which is outside the folder")
        if not (index.parent / shard).is_file():
            raise RecordError(f"{index}: names the shard {shard}, which is missing; copy it again")
    return shards


def _stored_tensors(folder: Path, files: tuple[Path, ...]) -> list[_Stored]:
    stored: dict[str, _Stored] = {}
    for file in files:
        for tensor in _read_header(file):
            if tensor.name in stored:
                raise RecordError(f"{file}: holds {tensor.name}, which {stored[tensor.name].file.name} holds too")
            stored[tensor.name] = tensor
    index = folder / "model.safetensors.index.json"
    if index in {file.parent / index.name for file in files} and index.is_file():
        for name, shard in _weight_map(index).items():
            if name not in stored or stored[name].file.name != shard:
                raise RecordError(f"{index}: says that {shard} holds {name}, which it does not")
    if not stored:
        raise RecordError(f"{folder}: the weights' files hold no tensor")
    return [stored[name] for name in sorted(stored)]


def _read_header(file: Path) -> list[_Stored]:
    size = file.stat().st_size
    with file.open("rb") as opened:
        header, data_start = _header(opened, file, size)
    tensors = [_stored(file, name, entry, data_start) for name, entry in header.items() if name != "__metadata__"]
    tensors.sort(key=lambda tensor: tensor.start)
    expected = data_start
    for tensor in tensors:
        if tensor.start != expected:
            raise RecordError(f"{file}: damaged: {tensor.name} begins at byte {tensor.start}, not at {expected}")
        expected = tensor.end
    if size != expected:
        what = "truncated" if size < expected else "damaged"
        raise RecordError(f"{file}: {what}: its header accounts for {expected} bytes, the file has {size}")
    return tensors


def _header(opened: BinaryIO, file: Path, size: int) -> tuple[dict[str, object], int]:
    if size < 8:
        raise RecordError(f"{file}: truncated: {size} bytes, too short for a header length")
    length = int.from_bytes(opened.read(8), "little")
    if length > min(size - 8, HEADER_LIMIT):
        raise RecordError(f"{file}: truncated or no safetensors: header length {length}, the file has {size} bytes")
    try:
        header = json.loads(opened.read(length))
    except (ValueError, RecursionError) as cause:
        raise RecordError(f"{file}: damaged: its header is no JSON: {cause}") from cause
    if not isinstance(header, dict):
        raise RecordError(f"{file}: damaged: its header is {type(header).__name__}, not an object")
    return header, 8 + length


def _stored(file: Path, name: str, entry: object, data_start: int) -> _Stored:
    try:
        dtype, shape = entry["dtype"], tuple(entry["shape"])  # type: ignore[index]
        start, end = entry["data_offsets"]  # type: ignore[index]
        size = _size(dtype, shape)
        fits = end - start == size and start >= 0
    except (KeyError, TypeError, ValueError) as cause:
        raise RecordError(f"{file}: damaged: the header's entry for {name!r} is {entry!r}") from cause
    if not fits:
        raise RecordError(
            f"{file}: damaged: {name} of type {dtype} and shape {list(shape)} takes {size} bytes, not {end - start}"
        )
    return _Stored(name, dtype, shape, file, data_start + start, data_start + end)


def _by_bytes(tensors: "Sequence[TensorInfo | _Stored]") -> tuple[str, ...]:
    bytes_of = dict.fromkeys(sorted({tensor.dtype for tensor in tensors}), 0)
    for tensor in tensors:
        bytes_of[tensor.dtype] += _size(tensor.dtype, tensor.shape)
    return tuple(sorted(bytes_of, key=lambda dtype: -bytes_of[dtype]))


def _size(dtype: str, shape: tuple[int, ...]) -> int:
    return math.prod(shape) * BITS[dtype] // 8


def _blocks(file: Path, start: int, end: int) -> Iterator[bytes]:
    with file.open("rb") as opened:
        opened.seek(start)
        left = end - start
        while left > 0:
            block = opened.read(min(BLOCK, left))
            if not block:
                raise RecordError(f"{file}: became shorter while it was read")
            left -= len(block)
            yield block
