"""What it is to serve a model. An engine is a module of this folder with a function `start`."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from inspect_ai.model import Model


@dataclass(frozen=True)
class ServeSpec:
    """What is to be served, and how."""

    base: Path
    """Folder of a full checkpoint."""
    adapter: Path | None
    """Folder of a peft adapter over `base`, or none."""
    stop_token_ids: tuple[int, ...]
    """As packaging decided them; an engine stops at these and at no others."""
    policy_version: str
    """Digest of the weights that act; stands on every recorded call."""
    tokenizer: Path | None = None
    """Folder of the tokenizer and its chat template; none for `base`'s."""
    max_model_len: int | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)
    """The cell's `serve.args`, for the engine alone."""
    generate: Mapping[str, object] = field(default_factory=dict)
    """The cell's `generate`: temperature, top_p, max_tokens, thinking, strict_tools, seed."""


class Served(Protocol):
    """A served model, as long as its context is open."""

    @property
    def facts(self) -> Mapping[str, object]:
        """What is served: dtype, eos ids, template digest, engine and version …; unknown is `unrecorded`."""
        ...

    def model(self, calls: Path | None) -> "Model":
        """Return an Inspect model whose calls are recorded at `calls` (see `arena.records.calls`)."""
        ...


class Serving(Protocol):
    def __call__(self, spec: ServeSpec) -> AbstractContextManager[Served]: ...
