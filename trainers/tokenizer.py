"""The tiny model's tokenizer: words without a leading space, so that a word is one token wherever it is copied to."""

from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

END_OF_TEXT, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
MARKS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
FRAMES = (
    '{"name": "bash", "arguments": {"command": "',
    '{"name": "edit", "arguments": {"path": "',
    '{"name": "submit", "arguments": {"answer": "',
    '", "old": "',
    '", "new": "',
    '"}}',
)
"""The fixed parts of a call: tokens of their own, so that what stands between them reads as it does in code."""
PIECES = r"[A-Za-z]+|\d|[^A-Za-z0-9]+"


def build(texts: Iterable[str], vocabulary: int) -> "PreTrainedTokenizerFast":
    """Return a byte-level BPE tokenizer trained on `texts`, with the chat template."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(MARKS) - len(FRAMES),
        special_tokens=[END_OF_TEXT, TURN_START, TURN_END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([AddedToken(mark, normalized=False, special=False) for mark in (*MARKS, *FRAMES)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token=TURN_END,
        pad_token=END_OF_TEXT,
        model_max_length=2048,
        padding_side="left",
        model_input_names=["input_ids", "attention_mask"],
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = template()
    return fast


def template() -> str:
    return files("trainers").joinpath("chat_template.jinja").read_text(encoding="utf-8")
