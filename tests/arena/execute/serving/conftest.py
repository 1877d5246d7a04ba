"""A tiny Qwen3 with random weights and a tokenizer of its own: all that an engine's behaviour needs."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from arena.execute.serving import embedded
from arena.execute.serving.serving import Served, ServeSpec

TEMPLATE = """\
{%- if tools %}<|im_start|>system
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}<|im_end|>
{% endif %}
{%- for m in messages %}
{%- if m.role == 'assistant' %}<|im_start|>assistant
{% generation %}{{ m.content or '' }}
{%- for call in m.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>{% endgeneration %}
{% elif m.role == 'tool' %}<|im_start|>user
<tool_response>
{{ m.content }}
</tool_response><|im_end|>
{% else %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking is defined and enable_thinking %}<think>
{% endif %}{% endif %}"""

END_OF_TEXT, TURN_START, TURN_END = 0, 1, 2
CONTEXT = 256


def make_tokenizer(folder: Path) -> None:
    """Write a byte-level tokenizer with a chat template."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(["the assistant calls the tool and the user reads the answer"], trainer)
    tokenizer.add_tokens([AddedToken(mark, normalized=False) for mark in ("<tool_call>", "</tool_call>")])
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.chat_template = TEMPLATE
    made.save_pretrained(folder)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import AutoTokenizer, Qwen3Config, Qwen3ForCausalLM

    folder = tmp_path_factory.mktemp("checkpoint") / "tiny"
    make_tokenizer(folder)
    config = Qwen3Config(
        vocab_size=len(AutoTokenizer.from_pretrained(folder)),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        initializer_range=0.5,
        eos_token_id=END_OF_TEXT,
        pad_token_id=END_OF_TEXT,
    )
    torch.manual_seed(0)
    Qwen3ForCausalLM(config).save_pretrained(folder)
    (folder / "generation_config.json").unlink()
    return folder


@pytest.fixture(scope="session")
def adapter(tmp_path_factory: pytest.TempPathFactory, checkpoint: Path) -> Path:
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    folder = tmp_path_factory.mktemp("adapter") / "lora"
    model = AutoModelForCausalLM.from_pretrained(checkpoint)
    lora = LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "down_proj"], task_type="CAUSAL_LM")
    adapted = get_peft_model(model, lora)
    torch.manual_seed(1)
    for name, parameter in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter)
    adapted.save_pretrained(folder)
    config = json.loads((folder / "adapter_config.json").read_text())
    (folder / "adapter_config.json").write_text(json.dumps(config | {"base_model_name_or_path": "tiny"}))
    return folder


@pytest.fixture(scope="session")
def spec_of(checkpoint: Path) -> Callable[..., ServeSpec]:
    """Return what makes a spec of the tiny model, with other fields where a test gives them."""
    return partial(ServeSpec, base=checkpoint, adapter=None, stop_token_ids=(TURN_END,), policy_version="ab" * 32)


@pytest.fixture(scope="module")
def served(spec_of: Callable[..., ServeSpec]) -> Iterator[Served]:
    with embedded.start(spec_of(generate={"temperature": 0, "max_tokens": 24})) as started:
        yield started
