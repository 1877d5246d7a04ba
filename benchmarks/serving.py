"""Tokens a second of the embedded engine at one and at eight streams, beside transformers' own `generate()`.

    python benchmarks/serving.py [CHECKPOINT]

Both read the same prompts and write the same number of tokens with the same weights on one thread, in turns, so that
whatever else the machine does falls on both. Without a checkpoint a model of the shipped one's shape is made.
"""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

NEW_TOKENS = 128
ROUNDS = 7
TEMPLATE = """\
{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}<|im_start|>assistant
"""
PROMPT = "Function `add_total` in `calc.py` returns the sum of `a` and `b`; it should return the difference. " * 4


def make_checkpoint(folder: Path) -> Path:
    """Make random weights in the shape of the model that ships: Qwen3, 0.7 million parameters."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1024,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([PROMPT, Path(__file__).read_text()], trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.chat_template = TEMPLATE
    made.save_pretrained(folder)
    config = Qwen3Config(
        vocab_size=1028,
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
    )
    Qwen3ForCausalLM(config).save_pretrained(folder)
    return folder


def theirs(model: Any, prompt: list[int], streams: int) -> None:
    import torch

    ids = torch.tensor([prompt] * streams)
    fixed = {"max_new_tokens": NEW_TOKENS, "min_new_tokens": NEW_TOKENS, "do_sample": True, "top_k": 0}
    model.generate(ids, attention_mask=torch.ones_like(ids), pad_token_id=0, **fixed)


def ours(model: Any, streams: int) -> None:
    async def run() -> None:
        await asyncio.gather(*(model.generate(PROMPT) for _ in range(streams)))

    asyncio.run(run())


def measure(ways: dict[str, Callable[[int], None]], streams: int) -> dict[str, float]:
    """Return the median tokens a second of each way, the ways taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for round_number in range(ROUNDS + 1):
        for name, way in ways.items():
            before = time.perf_counter()
            way(streams)
            if round_number:  # the first warms up
                taken[name].append(streams * NEW_TOKENS / (time.perf_counter() - before))
    return {name: round(statistics.median(rates)) for name, rates in taken.items()}


@contextmanager
def checkpoint() -> Iterator[Path]:
    if len(sys.argv) > 1:
        yield Path(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield make_checkpoint(Path(folder))


def main() -> None:
    import torch
    from transformers import AutoModelForCausalLM

    from arena.execute.serving import embedded
    from arena.execute.serving.serving import ServeSpec

    torch.set_num_threads(1)
    with checkpoint() as folder, tempfile.TemporaryDirectory() as out:
        spec = ServeSpec(folder, None, (), "benchmark", generate={"max_tokens": NEW_TOKENS})
        reference = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        with embedded.start(spec) as server:
            assert isinstance(server, embedded.Embedded)
            model = server.model(Path(out) / "calls.arrows")
            [prompt] = [server.prompts.tokens(f"<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\n")]
            ways = {"transformers": partial(theirs, reference, prompt), "embedded": partial(ours, model)}
            figures = {f"{streams} streams": measure(ways, streams) for streams in (1, 8)}
    print(json.dumps({"unit": "generated tokens a second", "prompt_tokens": len(prompt), **figures}))


if __name__ == "__main__":
    main()
