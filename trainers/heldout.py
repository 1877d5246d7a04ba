"""How many generated tasks a checkpoint repairs that it cannot have seen: `python -m trainers.heldout CHECKPOINT`.

The tasks' code and names come from modules that no training row comes from. Calls are carried out on the task's file.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from trainers.tasks import chat, repairs, rollout

SEED = 9
NEW_TOKENS = 120


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--base", type=Path, help="the base of an adapter")
    parser.add_argument("--tasks", type=int, default=200)
    given = parser.parse_args()
    print(json.dumps(measured(given.checkpoint, given.base, given.tasks), indent=1))


def measured(checkpoint: Path, base: Path | None = None, count: int = 200) -> dict[str, Any]:
    """Return how many of `count` held-out tasks are solved, in all and by family, and how many replies are calls."""
    tasks = list(islice(repairs.repairs(SEED, "held_out"), count))
    made = rollout.attempts(completion(checkpoint, base), tasks)
    replies = [reply for attempt in made for reply in attempt.replies]
    families, solved = Counter(t.family for t in tasks), Counter(a.repair.family for a in made if a.solved)
    return {
        "tasks": count,
        "solved": sum(solved.values()),
        "well_formed": round(sum(rollout.parse(reply) is not None for reply in replies) / len(replies), 3),
        "by_family": {name: f"{solved[name]}/{number}" for name, number in sorted(families.items())},
    }


def completion(checkpoint: Path, base: Path | None = None, batch: int = 32) -> rollout.Complete:
    """Return what a checkpoint answers to conversations, greedily and up to its turn end."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(base or checkpoint, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(base or checkpoint, dtype=torch.float32)
    if base is not None:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, str(checkpoint))
    model.eval()
    return _completion(model, tokenizer, batch)


def _completion(model: Any, tokenizer: Any, batch: int) -> Callable[[Sequence[chat.Messages]], list[str]]:
    import torch

    end = tokenizer.eos_token_id

    def complete(chats: Sequence[chat.Messages]) -> list[str]:
        replies: list[str] = []
        for first in range(0, len(chats), batch):
            prompts = [
                tokenizer.apply_chat_template(talk, tools=list(chat.TOOLS), tokenize=False, add_generation_prompt=True)
                for talk in chats[first : first + batch]
            ]
            inputs = tokenizer(prompts, return_tensors="pt", padding=True, add_special_tokens=False)
            with torch.inference_mode():
                out = model.generate(
                    **inputs,
                    max_new_tokens=NEW_TOKENS,
                    do_sample=False,
                    eos_token_id=end,
                    pad_token_id=tokenizer.pad_token_id,
                )
            texts = [tokenizer.decode(row) for row in out[:, inputs["input_ids"].shape[1] :]]
            replies += [text.partition(tokenizer.eos_token)[0] for text in texts]
        return replies

    return complete


if __name__ == "__main__":
    main()
