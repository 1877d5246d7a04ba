"""Training rows: conversations from a file or a generator, and which of their tokens are learned."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from pydantic import Field

from arena.errors import TrainError
from arena.execute.training import TrainJob
from arena.spec.plugin import load
from trainers.settings import Settings
from trainers.tasks import chat

IGNORED = -100


class Generated(Settings):
    """Rows that a function makes."""

    tasks: int = Field(gt=0)
    """How many rows."""
    generator: str = "trainers.tasks.repairs:rows"
    """`module:function`; called with a seed it yields rows `{"messages": [...], "tools": [...]}`."""
    seed: int | None = None
    """The generator's seed; the recipe's where it is left out."""


@dataclass(frozen=True)
class Conversation:
    messages: chat.Messages
    tools: tuple[chat.Message, ...]
    place: str
    """Where it stands, for messages about it."""


@dataclass(frozen=True)
class Row:
    tokens: list[int]
    labels: list[int]


@dataclass(frozen=True)
class Rows:
    rows: list[Row]
    shortened: int
    """How many were cut to the maximal length."""
    sha256: str
    """Of the conversations."""

    @property
    def facts(self) -> dict[str, object]:
        return {"rows": len(self.rows), "shortened": self.shortened, "sha256": self.sha256}


def conversations(job: TrainJob, data: Generated | str | None) -> list[Conversation]:
    """Return what a recipe's `data` names.

    Raises
    ------
    TrainError
        There is none, or a row is no conversation.
    """
    if isinstance(data, Generated):
        seed = job.seed if data.seed is None else data.seed
        made: Any = load(data.generator)(seed)
        return [_conversation(row, f"{data.generator}, row {i}") for i, row in enumerate(islice(made, data.tasks), 1)]
    if job.data is None:
        raise TrainError(
            "recipe.with.data: nothing to train on; name a .jsonl file of conversations, or rows to be made: "
            "data: {tasks: 1500}"
        )
    return list(_read(job.data))


def _read(path: Path) -> Iterator[Conversation]:
    count = 0
    with path.open(encoding="utf-8") as lines:
        for count, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise TrainError(f"{path}:{count}: not JSON ({error}); one conversation a line is wanted") from None
            yield _conversation(row, f"{path}:{count}")
    if not count:
        raise TrainError(f"{path}: is empty; one conversation a line is wanted")


def _conversation(row: Any, place: str) -> Conversation:
    messages = row.get("messages") if isinstance(row, dict) else None
    good = isinstance(messages, list) and all(isinstance(m, dict) and isinstance(m.get("role"), str) for m in messages)
    if not good or not messages:
        raise TrainError(f'{place}: not a conversation; wanted {{"messages": [{{"role": ..., "content": ...}}, ...]}}')
    if not any(message["role"] == "assistant" for message in messages):
        raise TrainError(f"{place}: the assistant says nothing in it, so there is nothing to learn; leave it out")
    return Conversation(messages, tuple(row.get("tools") or ()), place)


def encoded(tokenizer: Any, talks: Sequence[Conversation], max_length: int) -> Rows:
    """Return the tokens of each conversation; only what the assistant says has a label."""
    template = training_template(tokenizer)
    rows, shortened = [], 0
    for talk in talks:
        made = tokenizer.apply_chat_template(
            talk.messages,
            tools=list(talk.tools) or None,
            chat_template=template,
            return_dict=True,
            return_assistant_tokens_mask=True,
        )
        tokens, spoken = made["input_ids"][:max_length], made["assistant_masks"][:max_length]
        if not any(spoken):
            raise TrainError(
                f"{talk.place}: nothing that the assistant says lies in its first {max_length} tokens of "
                f"{len(made['input_ids'])}; raise recipe.with.max_length or leave it out"
            )
        shortened += len(tokens) < len(made["input_ids"])
        labels = [token if said else IGNORED for token, said in zip(tokens, spoken, strict=True)]
        rows.append(Row(tokens, labels))
    text = json.dumps([[talk.messages, talk.tools] for talk in talks], sort_keys=True, ensure_ascii=False)
    return Rows(rows, shortened, sha256(text.encode()).hexdigest())


def training_template(tokenizer: Any) -> str:
    """Return a chat template that marks what the assistant says: the tokenizer's own, or trl's for known families."""
    from trl.chat_template_utils import get_training_chat_template, has_generation_markers

    if tokenizer.chat_template is None:
        raise TrainError("the base's tokenizer has no chat template, so a conversation cannot be shown to the model")
    if has_generation_markers(tokenizer.chat_template):
        return str(tokenizer.chat_template)
    try:
        return str(get_training_chat_template(tokenizer))
    except ValueError:
        raise TrainError(
            "the base's chat template does not mark what the assistant says; put {% generation %} … "
            "{% endgeneration %} around it in chat_template.jinja"
        ) from None


def ordered(rows: Sequence[Row], batch: int, epochs: float, rng: Random) -> list[int]:
    """Return the order of rows over all epochs: mixed, with rows of about one length in a batch."""
    order: list[int] = []
    wanted = round(len(rows) * epochs)
    while len(order) < wanted:
        mixed = rng.sample(range(len(rows)), len(rows))
        for first in range(0, len(mixed), batch * 8):
            near = sorted(mixed[first : first + batch * 8], key=lambda i: len(rows[i].tokens))
            groups = [near[i : i + batch] for i in range(0, len(near), batch)]
            order += [i for group in rng.sample(groups, len(groups)) for i in group]
    return order[:wanted]
