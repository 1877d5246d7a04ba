import asyncio
import contextlib
import itertools
import json
import shutil
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
import torch
from inspect_ai.model import ChatMessage, ChatMessageTool, ChatMessageUser, GenerateConfig, Model, ModelOutput
from inspect_ai.tool import ToolInfo
from safetensors.numpy import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from arena.errors import RecordError, ServeError
from arena.execute.episode_key import EpisodeKey, in_episode
from arena.execute.serving import embedded
from arena.execute.serving.serving import Served, ServeSpec
from arena.records.calls import read_calls

T = TypeVar("T")
Specs = Callable[..., ServeSpec]
CONTEXT, END_OF_TEXT, TURN_END = 256, 0, 2

# peft and transformers, whose releases move apart
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing.*:FutureWarning"),
]

PROMPTS = ["hello", "the tool " * 20, "a", "user reads the answer " * 3, "x\ny", "?", "the the the", "calls " * 9]


def together(*work: Awaitable[T]) -> list[T]:
    async def run() -> list[T]:
        return await asyncio.gather(*work)

    return asyncio.run(run())


async def in_task(model: Model, task: str, prompt: str, config: GenerateConfig | None = None) -> ModelOutput:
    with in_episode(EpisodeKey("mini", task, 1, 1)):
        return await model.generate(prompt, config=config or GenerateConfig())


def tokens_of(calls: Path) -> dict[str | None, list[int]]:
    return {row["task"]: row["generated_tokens"] for row in read_calls(calls).to_pylist()}


def test_many_at_once_get_what_each_gets_alone(served: Served, tmp_path: Path) -> None:
    alone, batched = served.model(tmp_path / "alone.arrows"), served.model(tmp_path / "batched.arrows")
    for prompt in PROMPTS:
        together(in_task(alone, prompt, prompt))
    together(*(in_task(batched, prompt, prompt) for prompt in PROMPTS))
    assert tokens_of(tmp_path / "alone.arrows") == tokens_of(tmp_path / "batched.arrows")
    assert len({tuple(tokens) for tokens in tokens_of(tmp_path / "alone.arrows").values()}) == len(PROMPTS)


def test_calls_that_come_and_go_in_the_middle_of_others_change_nothing(spec_of: Specs, tmp_path: Path) -> None:
    config = GenerateConfig(temperature=0, max_tokens=60)

    async def later(model: Model, number: int, prompt: str) -> None:
        await asyncio.sleep(0.02 * number)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.03 if number % 4 == 3 else None):
                await in_task(model, prompt, prompt, config)

    with embedded.start(spec_of(stop_token_ids=(), arguments={"rows": 3})) as server:
        staggered, alone = server.model(tmp_path / "staggered.arrows"), server.model(tmp_path / "alone.arrows")
        together(*(later(staggered, number, prompt) for number, prompt in enumerate(PROMPTS)))
        for prompt in PROMPTS:
            together(in_task(alone, prompt, prompt, config))
    survivors = tokens_of(tmp_path / "staggered.arrows")
    assert len(survivors) >= 6
    assert survivors.items() <= tokens_of(tmp_path / "alone.arrows").items()


def test_greedy_writes_what_transformers_generate_writes(served: Served, checkpoint: Path, tmp_path: Path) -> None:
    together(*(in_task(served.model(tmp_path / "calls.arrows"), prompt, prompt) for prompt in PROMPTS))
    reference = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32)
    for row in read_calls(tmp_path / "calls.arrows").to_pylist():
        prompt = torch.tensor([row["prompt_tokens"]])
        written = reference.generate(
            prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=24, do_sample=False, eos_token_id=TURN_END
        )
        assert row["generated_tokens"] == written[0, prompt.shape[1] :].tolist()


def test_the_prompt_is_the_templates(served: Served, checkpoint: Path, tmp_path: Path) -> None:
    together(in_task(served.model(tmp_path / "calls.arrows"), "t", "hello <|im_end|>"))
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    expected = tokenizer.apply_chat_template(
        [{"role": "user", "content": "hello <|im_end|>"}], add_generation_prompt=True, return_dict=False
    )
    assert read_calls(tmp_path / "calls.arrows")["prompt_tokens"].to_pylist() == [expected]


def sampled(spec_of: Specs, calls: Path, tasks: Sequence[str], seed: int = 0, rows: int = 16) -> dict[Any, list[int]]:
    spec = spec_of(generate={"max_tokens": 24, "top_p": 0.9, "seed": seed}, arguments={"rows": rows})
    with embedded.start(spec) as server:
        model = server.model(calls)
        together(*(in_task(model, task, "hello") for task in tasks))
    return tokens_of(calls)


def test_what_is_drawn_depends_on_seed_and_task_alone(spec_of: Specs, tmp_path: Path) -> None:
    tasks = [f"task-{number}" for number in range(6)]
    all_at_once = sampled(spec_of, tmp_path / "1.arrows", tasks)
    again_backwards = sampled(spec_of, tmp_path / "2.arrows", tasks[::-1])
    one_by_one = sampled(spec_of, tmp_path / "3.arrows", tasks, rows=1)
    only_one = sampled(spec_of, tmp_path / "4.arrows", tasks[3:4])
    other_seed = sampled(spec_of, tmp_path / "5.arrows", tasks, seed=1)
    assert all_at_once == again_backwards == one_by_one
    assert only_one == {"task-3": all_at_once["task-3"]}
    assert len({tuple(tokens) for tokens in [*all_at_once.values(), *other_seed.values()]}) == 12


@pytest.mark.parametrize(("temperature", "top_p"), [(0.0, 1.0), (1.0, 1.0), (0.7, 1.0), (1.3, 0.8)])
def test_logprobs_are_those_of_a_forward_pass_over_the_whole_text(
    served: Served, checkpoint: Path, tmp_path: Path, temperature: float, top_p: float
) -> None:
    config = GenerateConfig(temperature=temperature, top_p=top_p)
    model = served.model(tmp_path / "calls.arrows")
    together(*(in_task(model, prompt, prompt, config) for prompt in PROMPTS))
    reference = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32)
    for row in read_calls(tmp_path / "calls.arrows").to_pylist():
        prompt, written = row["prompt_tokens"], row["generated_tokens"]
        with torch.no_grad():
            logits = reference(torch.tensor([prompt + written])).logits[0, len(prompt) - 1 : -1].double().numpy()
        expected = [
            by_hand(step, temperature or 1.0, 1.0 if temperature == 0 else top_p)[token]
            for step, token in zip(logits, written, strict=True)
        ]
        assert np.isfinite(expected).all()
        np.testing.assert_allclose(row["logprobs"], expected, atol=2e-3)


def by_hand(logits: np.ndarray, temperature: float, top_p: float) -> np.ndarray:
    probabilities = np.exp(logits / temperature - np.max(logits / temperature))
    probabilities /= probabilities.sum()
    kept, reached = np.zeros_like(probabilities), 0.0
    for token in np.argsort(-probabilities):
        if reached >= top_p:
            break
        kept[token] = probabilities[token]
        reached += probabilities[token]
    with np.errstate(divide="ignore"):
        return np.log(kept / kept.sum())


def test_only_the_given_tokens_stop(spec_of: Specs, tmp_path: Path) -> None:
    def lengths(stop: tuple[int, ...]) -> list[tuple[str, list[int]]]:
        calls = tmp_path / f"{len(stop)}-{sum(stop)}.arrows"
        spec = spec_of(stop_token_ids=stop, generate={"temperature": 2.0, "max_tokens": 100})
        with embedded.start(spec) as server:
            model = server.model(calls)
            together(*(in_task(model, str(number), "hello") for number in range(12)))
        return [(row["finish_reason"], row["generated_tokens"]) for row in read_calls(calls).to_pylist()]

    unstopped = lengths(())
    for reason, tokens in unstopped:
        assert (reason, len(tokens)) == ("max_tokens", 100)
    assert any(END_OF_TEXT in tokens or TURN_END in tokens for _, tokens in unstopped)
    stopped = lengths((TURN_END,))
    assert any(reason == "stop" for reason, _ in stopped)
    for reason, tokens in stopped:
        assert (reason == "stop") == (tokens[-1] == TURN_END)
        assert TURN_END not in tokens[:-1]


def test_a_stopped_turn_reads_without_its_stop_token(served: Served) -> None:
    outputs = together(*(in_task(served.model(None), str(n), p) for n, p in enumerate(PROMPTS)))
    assert {output.stop_reason for output in outputs} <= {"stop", "max_tokens", "tool_calls"}
    assert all("<|im_end|>" not in output.completion for output in outputs)


def test_an_adapter_changes_what_is_written_merged_or_active(
    served: Served, spec_of: Specs, adapter: Path, tmp_path: Path
) -> None:
    together(*(in_task(served.model(tmp_path / "base.arrows"), prompt, prompt) for prompt in PROMPTS))
    written = [tokens_of(tmp_path / "base.arrows")]
    for how in ("merged", "active"):
        spec = spec_of(adapter=adapter, arguments={"lora": how}, generate={"temperature": 0, "max_tokens": 24})
        with embedded.start(spec) as server:
            assert server.facts["adapter"] == how
            model = server.model(tmp_path / f"{how}.arrows")
            together(*(in_task(model, prompt, prompt) for prompt in PROMPTS))
        written.append(tokens_of(tmp_path / f"{how}.arrows"))
    base, merged, active = written
    assert merged == active
    assert all(merged[task] != base[task] for task in base)


def test_a_conversation_is_shown_as_it_was_written_and_its_calls_are_chained(served: Served, tmp_path: Path) -> None:
    calls = tmp_path / "calls.arrows"
    model = served.model(calls)
    config = GenerateConfig(temperature=1.5, max_tokens=20)

    async def talk() -> None:
        messages: list[ChatMessage] = [ChatMessageUser(content="hello")]
        with in_episode(EpisodeKey("mini", "talk", 2, 3, parent="mini/other/r2/a3")):
            for _ in range(3):
                output = await model.generate(messages, config=config)
                messages += [output.message, ChatMessageUser(content="go on")]

    asyncio.run(talk())
    rows = read_calls(calls).to_pylist()
    assert [row["call_id"] for row in rows] == [f"mini/talk/r2/a3/c{number}" for number in range(3)]
    assert [row["parent_call_id"] for row in rows] == [None, *[row["call_id"] for row in rows[:2]]]
    assert {(row["suite"], row["task"], row["replicate"], row["attempt"]) for row in rows} == {("mini", "talk", 2, 3)}
    assert {row["parent_episode"] for row in rows} == {"mini/other/r2/a3"}
    prompts = server_prompts(served)
    for before, after in itertools.pairwise(rows):
        shown = prompts.decode(after["prompt_tokens"])
        tail = before["generated_tokens"]
        said = prompts.decode(tail[:-1] if before["finish_reason"] == "stop" else tail)
        assert f"<|im_start|>assistant\n{said}<|im_end|>" in shown


def server_prompts(served: Served) -> Any:
    assert isinstance(served, embedded.Embedded)
    return served.prompts


def test_a_prompt_that_does_not_fit_ends_with_the_contexts_limit(served: Served, tmp_path: Path) -> None:
    model = served.model(tmp_path / "calls.arrows")
    before = time.monotonic()
    lengths = {"far": 10_000_000, "spaces": 3000, "just": CONTEXT}
    fill = {"far": "x", "spaces": " ", "just": "x"}
    for task, length in lengths.items():
        [output] = together(in_task(model, task, fill[task] * length))
        assert output.stop_reason == "model_length", task
        assert output.usage is not None
        assert output.usage.output_tokens == 0
    assert time.monotonic() - before < 10
    rows = {row["task"]: row for row in read_calls(tmp_path / "calls.arrows").to_pylist()}
    assert rows["far"]["prompt_tokens"] is None
    assert len(rows["just"]["prompt_tokens"]) >= CONTEXT
    assert {row["finish_reason"] for row in rows.values()} == {"model_length"}


def test_a_turn_that_fills_the_context_ends_with_the_contexts_limit(spec_of: Specs, tmp_path: Path) -> None:
    with embedded.start(spec_of(stop_token_ids=(), max_model_len=64)) as server:
        assert server.facts["max_model_len"] == 64
        [output] = together(in_task(server.model(tmp_path / "calls.arrows"), "t", "hello"))
    [row] = read_calls(tmp_path / "calls.arrows").to_pylist()
    assert output.stop_reason == row["finish_reason"] == "model_length"
    assert len(row["prompt_tokens"]) + len(row["generated_tokens"]) == 64


def test_a_cancelled_call_leaves_and_the_others_go_on(spec_of: Specs) -> None:
    with embedded.start(spec_of(stop_token_ids=(), generate={"temperature": 0})) as server:
        model = server.model(None)

        async def run() -> ModelOutput:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await model.generate("hello")
            return await model.generate("hello", config=GenerateConfig(max_tokens=5))

        output = asyncio.run(run())
    assert output.usage is not None
    assert output.usage.output_tokens == 5


def test_leaving_the_context_ends_the_thread_and_the_calls_that_run(spec_of: Specs) -> None:
    def running() -> int:
        return sum(thread.name == "arena-embedded" for thread in threading.enumerate())

    threads, before = torch.get_num_threads(), running()
    with embedded.start(spec_of(stop_token_ids=(), generate={"temperature": 0})) as server:
        assert isinstance(server, embedded.Embedded)
        model = server.model(None)

        async def run() -> None:
            call = asyncio.create_task(in_task(model, "t", "hello"))
            await asyncio.sleep(0.1)
            await asyncio.to_thread(server.batcher.close)
            with pytest.raises(ServeError, match="closed"):
                await call
            with pytest.raises(ServeError, match="closed"):
                await in_task(model, "t", "hello")

        asyncio.run(run())
    assert running() == before
    assert torch.get_num_threads() == threads


def test_facts_say_what_is_served(served: Served) -> None:
    facts = served.facts
    assert facts["engine"] == "embedded"
    assert facts["stop_token_ids"] == [TURN_END]
    assert (facts["dtype_stored"], facts["dtype_computed"], facts["generation_config"]) == (["F32"], "float32", False)
    assert (facts["max_model_len"], facts["threads"], facts["adapter"]) == (CONTEXT, 1, None)
    assert len(str(facts["template"])) == len(str(facts["tokenizer"])) == 64
    json.dumps(facts)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"arguments": {"thread": 2}}, r"serve\.args\.thread.*did you mean 'threads'"),
        ({"arguments": {"rows": 0}}, r"serve\.args\.rows.*got 0"),
        ({"generate": {"top_p": 0}}, r"generate\.top_p"),
        ({"generate": {"strict_tools": True}}, r"generate\.strict_tools"),
        ({"max_model_len": 10_000}, f"10000, but .* at most {CONTEXT}"),
    ],
)
def test_wrong_settings_are_refused_by_name(spec_of: Specs, other: dict[str, Any], message: str) -> None:
    with pytest.raises(ServeError, match=message), embedded.start(spec_of(**other)):
        pass


def test_settings_that_it_does_not_have_are_refused(served: Served) -> None:
    with pytest.raises(ServeError, match="does not have stop_seqs, top_k"):
        together(in_task(served.model(None), "t", "hello", GenerateConfig(top_k=3, stop_seqs=["x"], num_choices=1)))


def broken(checkpoint: Path, folder: Path, *without: str, **config: object) -> Path:
    shutil.copytree(checkpoint, folder)
    for name in without:
        (folder / name).unlink()
    if config:
        whole = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(whole | config))
    return folder


def test_a_checkpoint_that_cannot_be_used_is_one_clear_error(checkpoint: Path, spec_of: Specs, tmp_path: Path) -> None:
    def refused(folder: Path, message: str, kind: type[Exception] = ServeError) -> None:
        with pytest.raises(kind, match=message), embedded.start(spec_of(base=folder)):
            pass

    cut = broken(checkpoint, tmp_path / "cut")
    whole = (cut / "model.safetensors").read_bytes()
    (cut / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    refused(cut, r"model\.safetensors: truncated", RecordError)
    refused(
        broken(checkpoint, tmp_path / "deeper", num_hidden_layers=3, layer_types=["full_attention"] * 3),
        r"keys, such as model\.layers\.2",
    )
    refused(broken(checkpoint, tmp_path / "wider", intermediate_size=72), r"mismatched keys, such as .*mlp\.")
    nan = broken(checkpoint, tmp_path / "nan")
    weights = load_file(nan / "model.safetensors")
    save_file(weights | {"model.norm.weight": weights["model.norm.weight"] * np.nan}, nan / "model.safetensors")
    refused(nan, "logits are not finite")
    refused(broken(checkpoint, tmp_path / "config", "config.json"), "config.json cannot be used")
    refused(broken(checkpoint, tmp_path / "template", "chat_template.jinja"), "no chat template")
    refused(
        broken(checkpoint, tmp_path / "linear", layer_types=["linear_attention", "full_attention"]),
        "layers of the kinds full_attention, linear_attention",
    )


def test_tools_and_their_results_are_shown_by_the_template(served: Served, tmp_path: Path) -> None:
    tool = ToolInfo(name="bash", description="Run a command")
    messages: list[ChatMessage] = [
        ChatMessageUser(content="hello"),
        ChatMessageTool(content="out", function="bash", tool_call_id="1"),
    ]
    shown = server_prompts(served).render(messages, [tool])
    assert '{"type": "function", "function": {"name": "bash", "description": "Run a command"' in shown
    assert "<tool_response>\nout\n</tool_response>" in shown
