"""Continuous batching on one thread: calls join and leave a running batch at every token.

Rows are padded on the left, so that all of them write at the same place of the key-value cache.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from inspect import signature
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from arena.errors import ServeError, boundary
from arena.execute.serving.sampling import Sampling, draw, uniforms
from arena.records.calls import FinishReason

if TYPE_CHECKING:
    import numpy as np
    import torch

PREFILL_TOKENS = 16_384
"""Prompts are read together up to this many tokens, padding included."""


@dataclass(frozen=True)
class Request:
    prompt: Sequence[int]
    """At least one token."""
    max_new: int
    """At least one."""
    at_limit: FinishReason
    """What it means that `max_new` was reached."""
    sampling: Sampling


@dataclass(frozen=True)
class Generated:
    tokens: list[int]
    """The stop token included."""
    logprobs: list[float]
    finish_reason: FinishReason


@dataclass
class _Row:
    request: Request
    future: "Future[Generated]"
    numbers: "np.random.Generator"
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    @property
    def length(self) -> int:
        """Tokens in the cache once the last one has been read."""
        return len(self.request.prompt) + len(self.tokens)


@dataclass(frozen=True)
class BatchLimits:
    rows: int = 16
    """Calls generated at once; the rest wait. One is exact: no rounding depends on what else is running."""
    window_s: float = 0.003
    """An idle server waits this long for calls that come together with the first."""
    threads: int = 1
    """Of torch, while this server runs."""


class Batcher:
    """Generates for many callers with one model.

    Parameters
    ----------
    model : a causal language model of transformers whose layers all attend to the whole context
    stop : the tokens that end a turn; no others do
    """

    def __init__(self, model: Any, stop: frozenset[int], limits: BatchLimits) -> None:
        self._model = model
        self._stop = stop
        self._limits = limits
        self._waiting: SimpleQueue[_Row | None] = SimpleQueue()
        self._closed = False
        self._rows: list[_Row] = []
        self._cache: Any = None
        forward = signature(model.forward).parameters
        self._cache_argument = "cache" if "cache" in forward else "past_key_values"  # renamed in transformers 5.24
        self._thread = Thread(target=self._run, name="arena-embedded", daemon=True)
        self._thread.start()

    def submit(self, request: Request) -> "Future[Generated]":
        """Generate; cancelling the future ends the call at its next token."""
        row = _Row(request, Future(), uniforms(request.sampling))
        self._waiting.put(row)
        if self._closed:
            self._refuse_waiting()
        return row.future

    def close(self, timeout_s: float = 10.0) -> None:
        """Stop at the next token; calls that are not done fail."""
        self._closed = True
        self._waiting.put(None)
        self._thread.join(timeout_s)
        self._refuse_waiting()

    def _run(self) -> None:
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(self._limits.threads)
        try:
            with torch.inference_mode():
                while not self._closed:
                    self._turn()
        finally:
            torch.set_num_threads(before)
            self._fail(ServeError("the embedded server was closed while a call was running"))

    def _turn(self) -> None:
        """Admit who waits, then make one token for each row."""
        try:
            with boundary(ServeError, "the embedded engine could not generate"):
                joining = self._admit()
                if joining:
                    self._join(joining)
                elif self._rows:
                    self._step()
        except ServeError as error:
            self._fail(error)

    def _fail(self, error: ServeError) -> None:
        rows, self._rows, self._cache = self._rows, [], None
        for row in rows:
            if row.future.set_running_or_notify_cancel():
                row.future.set_exception(error)

    def _refuse_waiting(self) -> None:
        while True:
            try:
                row = self._waiting.get_nowait()
            except Empty:
                return
            if row is not None and row.future.set_running_or_notify_cancel():
                row.future.set_exception(ServeError("the embedded server is closed"))

    def _admit(self) -> list[_Row]:
        """Return the calls that can be read next, as many as there is room for."""
        joining: list[_Row] = []
        until = monotonic() + self._limits.window_s
        tokens = 0
        while len(self._rows) + len(joining) < self._limits.rows and tokens < PREFILL_TOKENS:
            try:
                if self._rows:
                    row = self._waiting.get_nowait()
                else:
                    row = self._waiting.get(timeout=max(0.0, until - monotonic()) if joining else None)
            except Empty:
                break
            if row is None:
                break
            if not row.future.cancelled():
                joining.append(row)
                tokens = len(joining) * max(row.length for row in joining)
        return joining

    def _join(self, joining: list[_Row]) -> None:
        """Read the prompts of new rows and add them to the batch."""
        import torch
        from transformers import DynamicCache

        running, self._rows = self._rows, joining
        running_cache, self._cache = self._cache, DynamicCache()
        width = max(row.length for row in joining)
        ids = torch.zeros((len(joining), width), dtype=torch.long)
        for place, row in enumerate(joining):
            ids[place, width - row.length :] = torch.tensor(row.request.prompt)
        try:
            self._forward(ids)
        finally:
            self._rows = running + joining
        if running:
            self._cache = merge_caches(running_cache, self._cache)
        self._drop_finished()

    def _step(self) -> None:
        import torch

        self._forward(torch.tensor([[row.tokens[-1]] for row in self._rows]))
        self._drop_finished()

    def _forward(self, ids: "torch.Tensor") -> None:
        """Read `ids`, which end every row, and give each row its next token."""
        import torch

        lengths = torch.tensor([row.length for row in self._rows])
        width = int(lengths.max())
        places = torch.arange(width - ids.shape[1], width)
        padding = width - lengths
        logits = self._model(
            input_ids=ids,
            attention_mask=_mask(padding, places, width, self._model.dtype),
            position_ids=(places[None] - padding[:, None]).clamp(min=0),
            use_cache=True,
            logits_to_keep=1,
            **{self._cache_argument: self._cache},
        ).logits[:, -1]
        if not bool(torch.isfinite(logits).all()):
            raise ServeError("the model's logits are not finite; its weights are damaged or its dtype is too narrow")
        samplings = [row.request.sampling for row in self._rows]
        tokens, logprobs = draw(logits, samplings, [row.numbers.random() for row in self._rows])
        for row, token, logprob in zip(self._rows, tokens, logprobs, strict=True):
            row.tokens.append(token)
            row.logprobs.append(logprob)

    def _drop_finished(self) -> None:
        import torch

        going = [place for place, row in enumerate(self._rows) if not self._finished(row)]
        if len(going) == len(self._rows):
            return
        before = max(row.length for row in self._rows)
        self._rows = [self._rows[place] for place in going]
        if not self._rows:
            self._cache = None
            return
        trim = before - max(row.length for row in self._rows)
        for layer in self._cache.layers:
            layer.keys = layer.keys[torch.tensor(going), :, trim:]
            layer.values = layer.values[torch.tensor(going), :, trim:]

    def _finished(self, row: _Row) -> bool:
        """Tell whether a row is done, answering its caller if it is."""
        if row.future.cancelled():
            return True
        if row.tokens[-1] in self._stop:
            reason: FinishReason = "stop"
        elif len(row.tokens) == row.request.max_new:
            reason = row.request.at_limit
        else:
            return False
        if row.future.set_running_or_notify_cancel():
            row.future.set_result(Generated(row.tokens, row.logprobs, reason))
        return True


def merge_caches(first: Any, second: Any) -> Any:
    """Return one cache of both batches' rows, the narrower one padded on the left."""
    import torch
    from torch.nn.functional import pad

    for one, other in zip(first.layers, second.layers, strict=True):
        wider = max(one.keys.shape[-2], other.keys.shape[-2])
        one.keys = torch.cat([pad(kv, (0, 0, wider - kv.shape[-2], 0)) for kv in (one.keys, other.keys)])
        one.values = torch.cat([pad(kv, (0, 0, wider - kv.shape[-2], 0)) for kv in (one.values, other.values)])
    return first


def _mask(padding: "torch.Tensor", places: "torch.Tensor", width: int, dtype: "torch.dtype") -> "torch.Tensor | None":
    """Return what is added to the attention scores, (rows, 1, queries, keys), or none where it would be all zero."""
    import torch

    if len(places) in (1, width) and not bool(padding.any()):
        return None  # the model's own causal mask is the same
    keys = torch.arange(width)
    seen = (keys[None, None] <= places[None, :, None]) & (keys[None, None] >= padding[:, None, None])
    hidden = torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
    return hidden[:, None]
