"""Make the tiny base model that ships: `python -m trainers.pretrain FOLDER`.

On one thread the same Python, torch and processor give the same weights again. What the model reads is format work
alone (`trainers.tasks.formats`): calls on plain instructions, and questions where in a function something is done.
"""

import argparse
import json
import math
import platform
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.spec.weights import weights_digest
from trainers.tasks import chat, formats

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerFast

VOCABULARY = 1024
SHAPE = {
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 5,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "max_position_embeddings": 2048,
    "rope_theta": 10000.0,
}
BATCH = 24
LEARNING_RATE, MATRIX_LEARNING_RATE = 3e-3, 2e-2
SPOKEN_WEIGHT = 4.0
"""What the assistant says weighs this much more in the loss than what it reads."""


README = """# arena/tiny-coder

A base model of about one million parameters in Qwen3's shape, with a tokenizer of its own. It writes well-formed calls
of `bash`, `edit` and `submit` on plain instructions, and little more: it has read {tokens:,} tokens of format work,
made from the standard library of Python {python} under other names, and no repository or issue of any suite.

It has no generation config, and its only stop token is `<|endoftext|>`: that its turns end with `<|im_end|>` is for
packaging to see.

    {command}

makes it again (one thread; the same processor, Python and torch give the same bits). Digest of the weights:
{digest}. `pretraining.json` has the figures. MIT, as the rest.
"""


class Row(NamedTuple):
    tokens: list[int]
    weights: list[float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--conversations", type=int, default=24_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    pretrain(given.folder, given.conversations, given.seed)


def pretrain(folder: Path, conversations: int, seed: int) -> None:
    import torch

    from trainers.tokenizer import build

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    started = time.process_time()
    talks = list(islice(formats.transcripts(seed), conversations))
    tokenizer = build(("\n".join(chat.texts(talk)) for talk in talks[:4000]), VOCABULARY)
    rows = [encoded(tokenizer, talk) for talk in talks]
    model = new_model(len(tokenizer), tokenizer.pad_token_id)
    batches = list(batched(rows, BATCH, Random(seed)))
    loss = train(model, batches, tokenizer.pad_token_id)
    facts = {
        "command": f"python -m trainers.pretrain FOLDER --conversations {conversations} --seed {seed}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "machine": platform.machine(),
        "conversations": conversations,
        "steps": len(batches),
        "tokens": sum(len(row.tokens) for row in rows),
        "final_loss": round(loss, 4),
        "cpu_seconds": round(time.process_time() - started),
        "data_sha256": sha256(json.dumps(talks, sort_keys=True).encode()).hexdigest(),
    }
    save(model, tokenizer, folder, facts)


def encoded(tokenizer: "PreTrainedTokenizerFast", talk: chat.Messages) -> Row:
    made: Any = tokenizer.apply_chat_template(
        talk, tools=list(chat.TOOLS), return_dict=True, return_assistant_tokens_mask=True
    )
    return Row(made["input_ids"], [SPOKEN_WEIGHT if spoken else 1.0 for spoken in made["assistant_masks"]])


def new_model(vocabulary: int, end_of_text: int) -> Any:
    """Return an untrained model whose end-of-text token is its only stop token."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    ids = {"eos_token_id": end_of_text, "pad_token_id": end_of_text, "bos_token_id": None}
    return Qwen3ForCausalLM(Qwen3Config(vocab_size=vocabulary, tie_word_embeddings=True, **SHAPE, **ids))


def batched(rows: Sequence[Row], size: int, rng: Random) -> Iterator[list[Row]]:
    """Yield batches of about equal lengths, in a random order."""
    mixed = rng.sample(rows, len(rows))
    for first in range(0, len(mixed), size * 8):
        near = sorted(mixed[first : first + size * 8], key=lambda row: len(row.tokens))
        group = [near[i : i + size] for i in range(0, len(near), size)]
        yield from rng.sample(group, len(group))


def train(model: Any, batches: Sequence[list[Row]], pad: int) -> float:
    """Go once over the batches and return the last smoothed loss."""
    import torch

    named = list(model.named_parameters())
    matrices = [p for name, p in named if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in named if p.ndim != 2 or "embed" in name]
    optimizers = [
        torch.optim.AdamW(others, lr=LEARNING_RATE, betas=(0.9, 0.98), weight_decay=0.0),
        torch.optim.Muon(matrices, lr=MATRIX_LEARNING_RATE, weight_decay=0.01),
    ]
    scales = [torch.optim.lr_scheduler.LambdaLR(o, lambda step: scale(step / len(batches))) for o in optimizers]
    smooth = 0.0
    for step, batch in enumerate(batches):
        loss = loss_of(model, batch, pad)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, schedule in zip(optimizers, scales, strict=True):
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            schedule.step()
        smooth = loss.item() if step == 0 else 0.95 * smooth + 0.05 * loss.item()
        if step % 20 == 0:
            print(f"step {step} of {len(batches)}: loss {smooth:.3f}", flush=True)
    return smooth


def scale(part: float) -> float:
    """Return the learning rate's share of its peak: a short rise, a plateau, a half cosine."""
    if part < 0.3:
        return min(1.0, part / 0.05 + 0.01)
    return 0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * (part - 0.3) / 0.7))


def loss_of(model: Any, batch: Sequence[Row], pad: int) -> "torch.Tensor":
    import torch

    width = max(len(row.tokens) for row in batch)
    tokens = torch.full((len(batch), width), pad)
    weights = torch.zeros(len(batch), width)
    for i, row in enumerate(batch):
        tokens[i, : len(row.tokens)] = torch.tensor(row.tokens)
        weights[i, : len(row.tokens)] = torch.tensor(row.weights)
    hidden = model.model(tokens).last_hidden_state[:, :-1]  # padding is on the right: causal attention needs no mask
    kept = weights[:, 1:] > 0
    each = torch.nn.functional.cross_entropy(model.lm_head(hidden[kept]), tokens[:, 1:][kept], reduction="none")
    return (each * weights[:, 1:][kept]).sum() / weights[:, 1:].sum()


def save(model: Any, tokenizer: "PreTrainedTokenizerFast", folder: Path, facts: dict[str, object]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)  # packaging has to see that its turn end does not stop
    describe(folder, facts)


def describe(folder: Path, facts: dict[str, object]) -> None:
    """Write how the model came about beside it, with the digest of what came out."""
    digest = weights_digest(folder).digest
    (folder / "pretraining.json").write_text(
        json.dumps(facts | {"weights_digest": digest}, indent=1) + "\n", encoding="utf-8"
    )
    readme = README.format(command=facts["command"], digest=digest, tokens=facts["tokens"], python=facts["python"])
    (folder / "README.md").write_text(readme, encoding="utf-8")


if __name__ == "__main__":
    main()
