import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from arena.errors import CellError
from arena.execute.models import find_base
from arena.spec.weights import weights_digest


def checkpoint(folder: Path, value: float = 1.0) -> str:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "qwen3"}))
    save_file({"w": np.full(4, value, dtype=np.float32)}, folder / "model.safetensors")
    return f"sha256:{weights_digest(folder).digest}"


def test_a_folder_beside_the_cell_is_found_at_the_revision_of_its_weights(tmp_path: Path):
    revision = checkpoint(tmp_path / "mine")
    assert find_base("mine", revision, tmp_path) == tmp_path / "mine"


def test_other_weights_than_the_revisions_are_refused_with_both_digests(tmp_path: Path):
    revision = checkpoint(tmp_path / "mine")
    other = checkpoint(tmp_path / "theirs", 2.0)
    with pytest.raises(CellError) as refused:
        find_base("theirs", revision, tmp_path)
    assert revision in str(refused.value)
    assert other in str(refused.value)


def test_a_model_that_is_nowhere_says_where_it_was_looked_for_and_how_to_get_it(tmp_path: Path):
    with pytest.raises(CellError, match=r"not on this machine.*snapshots.*hf download some/model --revision"):
        find_base("some/model", "0" * 40, tmp_path)
