import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from arena.errors import RecordError
from arena.spec.weights import check_weights, inventory, weights_digest

RNG = np.random.default_rng(0)
TENSORS = {
    "model.embed.weight": RNG.normal(size=(8, 4)).astype(np.float32),
    "model.layers.0.q.weight": RNG.normal(size=(4, 4)).astype(np.float16),
    "model.norm.weight": np.ones(4, np.float32),
    "scalar": np.array(3, np.int64),
    "empty": np.zeros((0, 4), np.float32),
}


def save(folder: Path, tensors: dict[str, np.ndarray] = TENSORS) -> Path:
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors")
    return folder


def shard(folder: Path, names: list[list[str]]) -> Path:
    folder.mkdir(exist_ok=True)
    weight_map = {}
    for number, part in enumerate(names, 1):
        file = f"model-{number:05}-of-{len(names):05}.safetensors"
        save_file({name: TENSORS[name] for name in part}, folder / file)
        weight_map |= dict.fromkeys(part, file)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return folder


def test_the_digest_is_that_of_sorted_names_types_shapes_and_bytes(tmp_path: Path) -> None:
    import hashlib

    by_hand = hashlib.sha256()
    kinds = {"float32": "F32", "float16": "F16", "int64": "I64"}
    for name in sorted(TENSORS):
        array = TENSORS[name]
        by_hand.update(json.dumps([name, kinds[array.dtype.name], list(array.shape)]).encode() + b"\n")
        by_hand.update(array.tobytes())
    assert weights_digest(save(tmp_path / "a")).digest == by_hand.hexdigest()


def test_saving_again_and_sharding_change_nothing(tmp_path: Path) -> None:
    first = weights_digest(save(tmp_path / "a"))
    again = weights_digest(save(tmp_path / "b", dict(reversed(load_file(tmp_path / "a/model.safetensors").items()))))
    sharded = weights_digest(shard(tmp_path / "c", [["scalar", "model.norm.weight"], sorted(TENSORS)[:3]]))
    assert first.digest == again.digest == sharded.digest
    assert first.tensors == sharded.tensors
    assert set(sharded.file_digests) == {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}


@given(st.sampled_from([name for name in sorted(TENSORS) if TENSORS[name].size]), st.integers(0, 2**16))
def test_one_changed_bit_changes_the_digest_and_is_found(
    tmp_path_factory: pytest.TempPathFactory, name: str, place: int
) -> None:
    folder = tmp_path_factory.mktemp("weights")
    before = weights_digest(save(folder / "before"))
    changed = bytearray(TENSORS[name].tobytes())
    changed[place % len(changed)] ^= 1 << place % 8
    array = np.frombuffer(bytes(changed), TENSORS[name].dtype).reshape(TENSORS[name].shape)
    after = weights_digest(save(folder / "after", TENSORS | {name: array}))
    assert before.digest != after.digest
    assert inventory(before, after).trained == (name,)
    assert len(inventory(before, after).frozen) == len(TENSORS) - 1


def test_types_and_sizes_are_told(tmp_path: Path) -> None:
    digest = weights_digest(save(tmp_path / "a"))
    assert digest.stored_dtypes == ("F32", "F16", "I64")
    assert digest.parameters == 32 + 16 + 4 + 1
    assert [tensor.size for tensor in digest.tensors] == [0, 128, 32, 16, 8]


def test_an_adapter_is_digested_by_its_own_file(tmp_path: Path) -> None:
    folder = save(tmp_path / "a")
    (folder / "adapter_config.json").write_text("{}")
    save_file({"lora_A.weight": np.ones((2, 4), np.float32)}, folder / "adapter_model.safetensors")
    assert [tensor.name for tensor in weights_digest(folder).tensors] == ["lora_A.weight"]


def test_every_truncation_is_refused_with_the_file_and_the_sizes(tmp_path: Path) -> None:
    folder = save(tmp_path / "a")
    file = folder / "model.safetensors"
    whole = file.read_bytes()
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        with pytest.raises(RecordError, match=r"model\.safetensors: (truncated|damaged)"):
            check_weights(folder)
    file.write_bytes(whole + b"\0")
    with pytest.raises(RecordError, match=f"accounts for {len(whole)} bytes, the file has {len(whole) + 1}"):
        check_weights(folder)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"not json", "header is no JSON"),
        (b"[1]", "header is list"),
        (b'{"a": 3}', "entry for 'a'"),
        (b'{"a": {"dtype": "F31", "shape": [1], "data_offsets": [0, 4]}}', "entry for 'a'"),
        (b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}', "takes 8 bytes, not 4"),
        (b'{"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}', "begins at byte"),
        (b"[" * 100_000, "header is no JSON"),
    ],
)
def test_a_damaged_header_is_refused(tmp_path: Path, header: bytes, message: str) -> None:
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * 8)
    with pytest.raises(RecordError, match=message):
        weights_digest(tmp_path)


def test_what_is_missing_from_a_sharded_checkpoint_is_named(tmp_path: Path) -> None:
    folder = shard(tmp_path / "a", [["scalar"], ["model.norm.weight"]])
    second = folder / "model-00002-of-00002.safetensors"
    save_file({"other": np.ones(1, np.float32)}, second)
    with pytest.raises(RecordError, match=r"says that model-00002\S+ holds model\.norm\.weight, which it does not"):
        check_weights(folder)
    save_file({"scalar": np.ones(1, np.float32)}, second)
    with pytest.raises(RecordError, match="holds scalar, which model-00001"):
        check_weights(folder)
    second.unlink()
    with pytest.raises(RecordError, match=r"names the shard model-00002-of-00002\.safetensors, which is missing"):
        check_weights(folder)
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../a.safetensors"}}')
    with pytest.raises(RecordError, match="outside the folder"):
        check_weights(folder)
    (folder / "model.safetensors.index.json").write_text("[")
    with pytest.raises(RecordError, match="is no index of shards"):
        check_weights(folder)


def test_pickles_loose_shards_and_empty_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no such folder"):
        check_weights(tmp_path / "none")
    with pytest.raises(RecordError, match="holds no weights"):
        check_weights(tmp_path)
    (tmp_path / "pytorch_model.bin").touch()
    with pytest.raises(RecordError, match=r"pytorch_model\.bin is a pickle"):
        check_weights(tmp_path)
    (tmp_path / "model-00001-of-00002.safetensors").touch()
    with pytest.raises(RecordError, match="but neither"):
        check_weights(tmp_path)
    shard(save(tmp_path / "both"), [["scalar"]])
    with pytest.raises(RecordError, match=r"has both model\.safetensors and"):
        check_weights(tmp_path / "both")
