import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from arena.errors import CellError, RecordError, ServeError
from arena.execute.packaging import Finding, Package, package, training_label

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}{% generation %}{{ m.content }}"
    "<|im_end|>{% endgeneration %}{% else %}{{ m.content }}<|im_end|>{% endif %}\n{% endfor %}"
)
SPECIAL = {"<|endoftext|>": 0, "<|im_start|>": 1, "<|im_end|>": 2}
RNG = np.random.default_rng(0)


def model(folder: Path, *, eos: object = 0, dtype: str = "float32", seed: int = 0) -> Path:
    """Write a checkpoint in the shape of the seed's: its turn-end token is not a stop token."""
    folder.mkdir()
    rng = np.random.default_rng(seed)
    save_file(
        {
            "model.embed_tokens.weight": rng.normal(size=(8, 4)).astype(np.float32),
            "model.layers.0.self_attn.q_proj.weight": rng.normal(size=(6, 4)).astype(np.float32),
        },
        folder / "model.safetensors",
    )
    write(folder / "config.json", {"eos_token_id": eos, "dtype": dtype})
    write(folder / "tokenizer_config.json", {"eos_token": "<|im_end|>"})
    added = [{"content": text, "id": number, "special": True} for text, number in SPECIAL.items()]
    write(folder / "tokenizer.json", {"added_tokens": added, "model": {}, "truncation": None})
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return folder


def adapter(folder: Path, *, module: str = "layers.0.self_attn.q_proj", out: int = 6, zero: bool = False) -> Path:
    folder.mkdir()
    name = f"base_model.model.model.{module}"
    b = np.zeros((out, 2), np.float32) if zero else RNG.normal(size=(out, 2)).astype(np.float32)
    save_file(
        {f"{name}.lora_A.weight": np.ones((2, 4), np.float32), f"{name}.lora_B.weight": b},
        folder / "adapter_model.safetensors",
    )
    write(
        folder / "adapter_config.json",
        {"peft_type": "LORA", "r": 2, "lora_alpha": 4, "base_model_name_or_path": "/elsewhere/base"},
    )
    return folder


def write(file: Path, content: object) -> None:
    file.write_text(json.dumps(content))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return model(tmp_path / "base")


def named(packed: Package) -> dict[str, Finding]:
    return {finding.name: finding for finding in packed.findings}


def test_as_is_leaves_the_seeds_base_without_its_turn_end_and_says_so(base: Path) -> None:
    packed = package(base, None, "as_is", ())
    assert packed.stop_token_ids == (0,)
    assert set(named(packed)) == {"generation_config_missing", "turn_end_is_not_a_stop_token"}
    finding = named(packed)["turn_end_is_not_a_stop_token"]
    assert (finding.found, finding.done) == ("turns end with <|im_end|> (2); the configurations stop at [0]", "nothing")


def test_union_adds_the_turn_end_and_says_so(base: Path) -> None:
    packed = package(base, None, "union", ())
    assert packed.stop_token_ids == (0, 2)
    assert named(packed)["turn_end_is_not_a_stop_token"].done == "it was added to the stop tokens"


def test_a_generation_config_is_taken_as_it_is(base: Path) -> None:
    write(base / "generation_config.json", {"eos_token_id": [2, 5]})
    packed = package(base, None, "as_is", ())
    assert packed.stop_token_ids == (0, 2, 5)
    assert packed.findings == ()
    assert packed.as_record()["generation_config"] is True


def test_a_trained_checkpoints_own_stop_tokens_are_joined_with_the_bases(base: Path, tmp_path: Path) -> None:
    trained = model(tmp_path / "trained", eos=[2], seed=1)
    as_is, union = (package(base, trained, how, ()) for how in ("as_is", "union"))
    assert (as_is.stop_token_ids, union.stop_token_ids) == ((2,), (0, 2))
    assert as_is.base == trained
    assert named(union)["stop_tokens_differ_from_base"].done == "both are stopped at"


@pytest.mark.parametrize("config", [{"eos_token_id": None}, {"text_config": {"eos_token_id": 0}}, {}])
def test_configurations_of_every_form_are_read(base: Path, config: dict[str, object]) -> None:
    write(base / "config.json", config)
    packed = package(base, None, "as_is", ())
    assert packed.stop_token_ids == ((0,) if "text_config" in config else ())
    assert ("no_stop_token" in named(packed)) == ("text_config" not in config)


def test_the_template_and_not_the_tokenizers_word_says_what_ends_a_turn(base: Path) -> None:
    write(base / "tokenizer_config.json", {"eos_token": {"content": "<|endoftext|>"}})
    packed = package(base, None, "union", ())
    assert packed.stop_token_ids == (0, 2)
    assert "tokenizer_eos_is_not_turn_end" in named(packed)


def test_where_the_template_does_not_say_the_tokenizers_word_is_taken(base: Path) -> None:
    (base / "chat_template.jinja").write_text("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}")
    packed = package(base, None, "union", ())
    assert packed.stop_token_ids == (0, 2)
    assert named(packed)["turn_end_unknown"].done == "the tokenizer's eos_token <|im_end|> (2) is taken for it"
    (base / "tokenizer_config.json").unlink()
    assert package(base, None, "union", ()).stop_token_ids == (0,)


def test_a_declared_dtype_that_is_not_the_stored_one_is_found(tmp_path: Path) -> None:
    packed = package(model(tmp_path / "base", dtype="bfloat16"), None, "union", ())
    finding = named(packed)["dtype_declared_is_not_stored"]
    assert finding.found == "config.json declares bfloat16, the tensors are stored as float32"
    assert (packed.dtype_declared, packed.dtypes_stored) == ("bfloat16", ("F32",))


def test_an_adapter_is_checked_against_its_base(base: Path, tmp_path: Path) -> None:
    packed = package(base, adapter(tmp_path / "lora"), "union", ())
    assert (packed.base, packed.adapter) == (base, tmp_path / "lora")
    assert packed.digests.adapter is not None
    assert packed.policy_version not in (packed.digests.weights, packed.digests.adapter)
    assert "adapter_names_another_base" not in named(packed)
    with pytest.raises(ServeError, match=r"changes model\.layers\.7\.mlp\.weight, which the base does not have"):
        package(base, adapter(tmp_path / "deeper", module="layers.7.mlp"), "union", ())
    with pytest.raises(ServeError, match=r"lora_B\S* has shape \[5, 2\], which does not fit .* shape \[6, 4\]"):
        package(base, adapter(tmp_path / "narrower", out=5), "union", ())


def test_an_adapters_scale_is_part_of_the_policy_and_how_it_was_trained_is_not(base: Path, tmp_path: Path) -> None:
    folder = adapter(tmp_path / "lora")
    config = json.loads((folder / "adapter_config.json").read_text())

    def version(**other: object) -> str:
        write(folder / "adapter_config.json", config | other)
        return package(base, folder, "union", ()).policy_version

    assert version(lora_dropout=0.1, base_model_name_or_path="other") == version()
    assert version(lora_alpha=8) != version()


def test_an_adapter_of_another_name_is_served_and_found(base: Path, tmp_path: Path) -> None:
    folder = adapter(tmp_path / "lora")
    write(folder / "adapter_config.json", {"r": 2, "base_model_name_or_path": "org/other-model"})
    finding = named(package(base, folder, "union", ()))["adapter_names_another_base"]
    assert "'org/other-model'" in finding.found
    assert "1 modules and their shapes were checked" in finding.done


def test_an_adapter_of_zeros_leaves_the_base_acting_and_is_no_training(base: Path, tmp_path: Path) -> None:
    before = package(base, None, "union", ())
    after = package(base, adapter(tmp_path / "lora", zero=True), "union", ())
    assert "adapter_is_inert" in named(after)
    assert after.policy_version == before.policy_version
    assert training_label(before.policy_version, after.policy_version, steps=10) == "untrained"


def test_only_steps_that_changed_the_weights_are_training(base: Path, tmp_path: Path) -> None:
    before = package(base, None, "union", ()).policy_version
    same = package(base, model(tmp_path / "same"), "union", ()).policy_version
    other = package(base, model(tmp_path / "other", seed=1), "union", ()).policy_version
    assert training_label(before, same, steps=100) == "untrained"
    assert training_label(before, other, steps=0) == "untrained"
    assert training_label(before, other, steps=1) == "trained"


def test_a_checkpoint_without_a_tokenizer_gets_its_bases_only_where_the_cell_asks(base: Path, tmp_path: Path) -> None:
    trained = model(tmp_path / "trained", seed=1)
    (trained / "chat_template.jinja").unlink()
    with pytest.raises(ServeError, match=r"no chat template.*package\.fixes: \[tokenizer_from_base\]"):
        package(base, trained, "union", ())
    packed = package(base, trained, "union", ["tokenizer_from_base"])
    assert (packed.base, packed.tokenizer) == (trained, base)
    assert named(packed)["tokenizer_missing"].done == "the base's is served (tokenizer_from_base)"
    assert packed.as_record()["fixes"] == ["tokenizer_from_base"]


def test_another_template_than_the_bases_is_found(base: Path, tmp_path: Path) -> None:
    trained = model(tmp_path / "trained", seed=1)
    (trained / "chat_template.jinja").write_text(TEMPLATE + " ")
    assert named(package(base, trained, "union", ()))["template_differs_from_base"].done.startswith("the checkpoint's")
    lora = adapter(tmp_path / "lora")
    shutil.copy(trained / "chat_template.jinja", lora)
    assert named(package(base, lora, "union", ()))["template_differs_from_base"].done == "the base's is served"


def test_what_cannot_be_packaged_is_refused_in_words(base: Path, tmp_path: Path) -> None:
    with pytest.raises(CellError, match="'eos' is not known; known are tokenizer_from_base"):
        package(base, None, "union", ["eos"])
    weights = base / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1])
    with pytest.raises(RecordError, match=r"model\.safetensors: truncated"):
        package(base, None, "union", ())
    weights.write_bytes(whole)
    (base / "config.json").write_text("{")
    with pytest.raises(RecordError, match=r"config\.json: is no JSON"):
        package(base, None, "union", ())


def test_the_record_is_json_and_holds_no_path_of_this_machine(base: Path, tmp_path: Path) -> None:
    for trained in (None, adapter(tmp_path / "lora"), model(tmp_path / "trained", eos=[2], dtype="float16", seed=1)):
        text = json.dumps(package(base, trained, "union", ()).as_record())
        assert str(tmp_path) not in text
        record = json.loads(text)
        assert record["kind"] == ("adapter" if record["digests"]["adapter"] else "full")
        assert record["end_tokens"]["template"] == {"id": 2, "text": "<|im_end|>"}


def test_packaging_loads_neither_torch_nor_transformers() -> None:
    check = "import sys, arena.execute.packaging; print({'torch', 'transformers', 'peft'} & set(sys.modules))"
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "set()"


def test_saving_the_weights_again_changes_no_policy_version(base: Path) -> None:
    before = package(base, None, "union", ()).policy_version
    save_file(dict(reversed(load_file(base / "model.safetensors").items())), base / "model.safetensors")
    assert package(base, None, "union", ()).policy_version == before
