"""The embedded engine: transformers on the CPU, in this process. It needs no server, no port and no GPU."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import ServeError, boundary
from arena.execute.serving.batching import Batcher, BatchLimits
from arena.execute.serving.prompts import PromptMaker
from arena.execute.serving.sampling import SCHEME
from arena.execute.serving.serving import Served, ServeSpec
from arena.execute.serving.tokenizer_files import template_digest, tokenizer_digest
from arena.records.calls import CallWriter
from arena.spec.weights import check_weights

if TYPE_CHECKING:
    from inspect_ai.model import Model

UNRECORDED = "unrecorded"

Given = TypeVar("Given", bound=BaseModel)


class Arguments(BaseModel):
    """What a cell may say in `serve.args` to this engine."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    threads: int = Field(1, ge=1)
    """Of torch. On a machine that does other things too, more than one makes it slower."""
    rows: int = Field(16, ge=1)
    """Calls generated at once. One makes greedy and seeded runs the same to the last bit."""
    window_ms: float = Field(3, ge=0)
    """How long an idle engine waits for calls that come together."""
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """What is computed in; the stored values of narrower types are exact in float32."""
    lora: Literal["merged", "active"] = "merged"
    """Whether an adapter is added to the weights once, or computed beside them."""


class Generate(BaseModel):
    """What a cell may say in `generate` to this engine."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    temperature: float = Field(1.0, ge=0)
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: int | None = Field(None, ge=1)
    """None: up to the end of the context."""
    thinking: bool | None = None
    """The template's `enable_thinking`; none leaves it to the template."""
    strict_tools: Literal[False] = False
    """This engine does not constrain what a model writes; a cell that wants it needs another engine."""
    seed: int = 0


@contextmanager
def start(spec: ServeSpec) -> Iterator[Served]:
    """Load the model and serve it until the context is left.

    Raises
    ------
    ServeError
        The checkpoint, its adapter or its tokenizer cannot be used, or `arguments` or `generate` are wrong.
    RecordError
        A file of weights is damaged.
    """
    arguments = _read(Arguments, spec.arguments, "serve.args")
    generate = _read(Generate, spec.generate, "generate")
    stored = check_weights(spec.base)
    if spec.adapter is not None:
        check_weights(spec.adapter)
    config = _config(spec)
    max_model_len = _max_model_len(spec, config)
    prompts = PromptMaker.load(spec.tokenizer or spec.base, max_model_len, generate.thinking)
    model, unused = _load(spec, arguments)
    facts = _facts(spec, arguments, config) | {
        "dtype_stored": list(stored),
        "unused_tensors": unused,
        "max_model_len": max_model_len,
    }
    limits = BatchLimits(arguments.rows, arguments.window_ms / 1000, arguments.threads)
    batcher = Batcher(model, frozenset(spec.stop_token_ids), limits)
    embedded = Embedded(spec, generate, prompts, batcher, limits, facts, [])
    try:
        yield embedded
    finally:
        batcher.close()
        for writer in embedded.writers:
            writer.finish()


@dataclass(frozen=True)
class Embedded:
    """A model that is served in this process."""

    spec: ServeSpec
    generate: Generate
    prompts: PromptMaker
    batcher: Batcher
    limits: BatchLimits
    facts: Mapping[str, object]
    writers: list[CallWriter]

    def model(self, calls: Path | None) -> "Model":
        from arena.execute.serving.embedded_api import embedded_model

        writer = None if calls is None else CallWriter(calls)
        if writer is not None:
            self.writers.append(writer)
        return embedded_model(self, writer)


def _read(kind: type[Given], given: Mapping[str, object], where: str) -> Given:
    try:
        return kind.model_validate(dict(given))
    except ValidationError as wrong:
        first = wrong.errors()[0]
        key = ".".join(map(str, first["loc"]))
        near = get_close_matches(key, kind.model_fields, 1)
        hint = f"; did you mean {near[0]!r}?" if first["type"] == "extra_forbidden" and near else ""
        raise ServeError(f"{where}.{key}: {first['msg']}, got {first['input']!r}{hint} (engine: embedded)") from wrong


def _config(spec: ServeSpec) -> Any:
    from transformers import AutoConfig

    with boundary(ServeError, f"{spec.base}: its config.json cannot be used"):
        config = AutoConfig.from_pretrained(str(spec.base), local_files_only=True)
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    if kinds != {"full_attention"}:
        raise ServeError(
            f"{spec.base}: has layers of the kinds {', '.join(sorted(kinds))}; the embedded engine serves models whose "
            "layers all attend to the whole context. Choose another serve.engine"
        )
    return config


def _max_model_len(spec: ServeSpec, config: Any) -> int:
    most = getattr(config, "max_position_embeddings", None)
    wanted = spec.max_model_len or most
    if wanted is None:
        raise ServeError(f"{spec.base}: does not say how much it can read; give serve.max_model_len")
    if most is not None and wanted > most:
        raise ServeError(f"serve.max_model_len: {wanted}, but {spec.base} reads at most {most} tokens")
    return int(wanted)


def _load(spec: ServeSpec, arguments: Arguments) -> tuple[Any, list[str]]:
    """Return the model, and the names of stored tensors that it does not use."""
    import torch
    from transformers import AutoModelForCausalLM

    with _quiet():
        with boundary(ServeError, f"{spec.base}: the model could not be loaded"):
            model, found = AutoModelForCausalLM.from_pretrained(
                str(spec.base),
                dtype=getattr(torch, arguments.dtype),
                local_files_only=True,
                output_loading_info=True,
                ignore_mismatched_sizes=True,
                attn_implementation="sdpa",
            )
        # transformers fills what is missing or does not fit with random numbers and goes on
        for what in ("missing_keys", "mismatched_keys"):
            if names := sorted(map(str, found[what])):
                raise ServeError(f"{spec.base}: {len(names)} {what.replace('_', ' ')}, such as {names[0]}")
        if spec.adapter is not None:
            model = _adapted(model, spec.adapter, arguments)
    model = model.eval().requires_grad_(requires_grad=False)
    if not bool(torch.isfinite(model(torch.zeros((1, 1), dtype=torch.long)).logits).all()):
        raise ServeError(f"{spec.base}: the model's logits are not finite; its weights are damaged")
    return model, sorted(map(str, found["unexpected_keys"]))


def _adapted(model: Any, adapter: Path, arguments: Arguments) -> Any:
    from peft import PeftModel

    with boundary(ServeError, f"{adapter}: the adapter could not be loaded"):
        adapted = PeftModel.from_pretrained(model, str(adapter))
        return adapted.merge_and_unload() if arguments.lora == "merged" else adapted.get_base_model()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers and peft from drawing bars and tables and from warning of each other."""
    from transformers.utils import logging

    shown, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        logging.set_verbosity(verbosity)
        if shown:
            logging.enable_progress_bar()


def _facts(spec: ServeSpec, arguments: Arguments, config: Any) -> dict[str, object]:
    return {
        "engine": "embedded",
        "device": "cpu",
        "transformers": version("transformers"),
        "torch": version("torch"),
        "peft": version("peft") if spec.adapter else None,
        "policy_version": spec.policy_version,
        "architecture": (getattr(config, "architectures", None) or [UNRECORDED])[0],
        "dtype_computed": arguments.dtype,
        "adapter": arguments.lora if spec.adapter else None,
        "stop_token_ids": list(spec.stop_token_ids),
        "generation_config": (spec.base / "generation_config.json").is_file(),
        "template": template_digest(spec.tokenizer or spec.base) or UNRECORDED,
        "tokenizer": tokenizer_digest(spec.tokenizer or spec.base) or UNRECORDED,
        "tool_parser": "hermes",
        "strict_tools": False,
        "thinking": spec.generate.get("thinking"),
        "threads": arguments.threads,
        "rows": arguments.rows,
        "sampling": SCHEME,
    }
