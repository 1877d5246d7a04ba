"""The base model that ships."""

import json
from collections.abc import Sequence
from itertools import islice

import pytest
from transformers import AutoTokenizer

from arena.spec.weights import weights_digest
from trainers import heldout
from trainers.tasks import chat, formats, repairs, rollout


@pytest.fixture(scope="module")
def tokenizer(tiny_coder):
    return AutoTokenizer.from_pretrained(tiny_coder)


@pytest.fixture(scope="module")
def complete(tiny_coder) -> rollout.Complete:
    return heldout.completion(tiny_coder)


def test_it_is_small_and_its_digest_is_the_recorded_one(tiny_coder):
    assert sum(file.stat().st_size for file in tiny_coder.iterdir()) < 5_000_000
    facts = json.loads((tiny_coder / "pretraining.json").read_text())
    assert weights_digest(tiny_coder).digest == facts["weights_digest"]
    assert facts["command"] in (tiny_coder / "README.md").read_text()


def test_its_turn_end_is_no_stop_token_of_its_own(tiny_coder, tokenizer):
    config = json.loads((tiny_coder / "config.json").read_text())
    assert not (tiny_coder / "generation_config.json").exists()
    assert config["eos_token_id"] == tokenizer.convert_tokens_to_ids("<|endoftext|>")
    assert tokenizer.eos_token == "<|im_end|>"
    assert config["model_type"] == "qwen3"
    assert config["max_position_embeddings"] >= 2048


def test_the_template_renders_tools_calls_and_results_and_is_read_back(tokenizer):
    for talk in some_talks(60):
        text = tokenizer.apply_chat_template(talk, tools=list(chat.TOOLS), tokenize=False)
        turns = text.split("<|im_start|>")[1:]
        assert "tools: bash edit submit<|im_end|>" in turns[0]
        spoken = [turn.removeprefix("assistant\n") for turn in turns if turn.startswith("assistant\n")]
        made = [m["tool_calls"][0]["function"] for m in talk if m["role"] == "assistant"]
        assert [rollout.parse(turn) for turn in spoken] == [(call["name"], call["arguments"]) for call in made]
        results = [turn for turn in turns if turn.startswith("user\n<tool_response>\n")]
        told = [m["content"] for m in talk if m["role"] == "tool"]
        assert [r.split("<tool_response>\n")[1].split("\n</tool_response>")[0] for r in results] == told


def test_only_what_the_assistant_says_is_marked_up_to_its_turn_end(tokenizer):
    for talk in some_talks(20):
        made = tokenizer.apply_chat_template(
            talk, tools=list(chat.TOOLS), return_dict=True, return_assistant_tokens_mask=True
        )
        marked = [token for token, mark in zip(made["input_ids"], made["assistant_masks"], strict=True) if mark]
        text = tokenizer.decode(marked)
        assert text.count("<|im_end|>") == text.count("<tool_call>") == sum(m["role"] == "assistant" for m in talk)
        assert "<tool_response>" not in text
        assert talk[-2]["content"] == "" or talk[-2]["content"] not in text


def test_text_comes_back_from_its_tokens(tokenizer):
    for text in ("def f(x):\n    return x[1:] + ' é ☃\\n'\n", '{"name": "bash", "arguments": {"command": "a\\"b"}}'):
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_it_writes_well_formed_calls_on_instructions_that_it_never_read(complete):
    talks = list(islice(formats.transcripts(5, "held_out"), 24))
    replies = complete([asked(talk) for talk in talks])
    assert sum(rollout.parse(reply) is not None for reply in replies) >= 22
    right = sum(rollout.parse(r) == first_call(talk) for r, talk in zip(replies, talks, strict=True))
    assert right >= 12


def test_it_repairs_nothing(complete):
    made = rollout.attempts(complete, list(islice(repairs.repairs(heldout.SEED, "held_out"), 16)), turns=3)
    assert sum(attempt.solved for attempt in made) <= 1


def some_talks(count: int) -> Sequence[chat.Messages]:
    made = [repairs.transcript(repair) for repair in islice(repairs.repairs(2), count // 2)]
    return [*made, *islice(formats.transcripts(2), count // 2)]


def asked(talk: chat.Messages) -> chat.Messages:
    first = next(i for i, message in enumerate(talk) if message["role"] == "assistant")
    return talk[:first]


def first_call(talk: chat.Messages) -> tuple[str, dict[str, str]]:
    function = talk[len(asked(talk))]["tool_calls"][0]["function"]
    return function["name"], function["arguments"]
