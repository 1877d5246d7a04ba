"""Drawing tokens so that a call's draws depend on its own seed alone, never on what else is in the batch."""

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.execute.episode_key import EpisodeKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import torch

SCHEME = "philox-inverse-cdf-1"
"""Name of the way in which tokens are drawn; a change of it changes what a seed gives."""


@dataclass(frozen=True)
class Sampling:
    """How one call's tokens are drawn."""

    temperature: float
    """0 takes the likeliest token."""
    top_p: float
    """Only the likeliest tokens that together reach this probability are drawn from; in (0, 1]."""
    seed: int


def call_seed(seed: int, episode: EpisodeKey | None, call: int) -> int:
    """Return the seed of a call, 64 bits: of the cell's seed, suite, task, replicate and the call's number.

    The attempt is left out: an episode that is tried again because it could not be scored draws what it drew before.
    """
    key = [] if episode is None else [episode.suite, episode.task, episode.replicate, episode.parent]
    digest = hashlib.sha256(json.dumps([seed, *key, call]).encode()).digest()
    return int.from_bytes(digest[:8])


def uniforms(sampling: Sampling) -> "np.random.Generator":
    """Return the call's stream of numbers in [0, 1), one for each of its tokens."""
    import numpy as np

    return np.random.Generator(np.random.Philox(key=sampling.seed))


def draw(
    logits: "torch.Tensor", samplings: "Sequence[Sampling]", numbers: "Sequence[float]"
) -> tuple[list[int], list[float]]:
    """Draw one token for each row.

    Parameters
    ----------
    logits : Tensor of shape (rows, vocabulary)
    samplings : one a row
    numbers : one a row, in [0, 1); unused where the temperature is 0

    Returns
    -------
    tokens, logprobs : one a row; the log-probability, in nats, under the distribution that was drawn from (at
        temperature 0 the model's own)
    """
    import torch

    greedy = torch.tensor([sampling.temperature == 0 for sampling in samplings])
    temperature = torch.tensor([sampling.temperature or 1.0 for sampling in samplings], dtype=torch.float64)
    logprobs = torch.log_softmax(logits.double() / temperature[:, None], dim=-1)
    cut = torch.tensor([1.0 if s.temperature == 0 else s.top_p for s in samplings], dtype=torch.float64)
    if bool((cut < 1).any()):
        logprobs = _nucleus(logprobs, cut)
    below = logprobs.exp().cumsum(dim=-1)
    # by inverting the distribution function in order of the vocabulary, rounding elsewhere in the batch can move a
    # token only where a number falls within it of a boundary
    aim = torch.tensor(numbers, dtype=torch.float64)[:, None] * below[:, -1:]
    aim = torch.minimum(aim, torch.nextafter(below[:, -1:], torch.zeros(())))
    drawn = torch.searchsorted(below, aim, right=True)[:, 0]
    tokens = torch.where(greedy, logits.argmax(dim=-1), drawn)
    return tokens.tolist(), logprobs.gather(1, tokens[:, None])[:, 0].tolist()


def _nucleus(logprobs: "torch.Tensor", top_p: "torch.Tensor") -> "torch.Tensor":
    """Keep, of each row, the fewest likeliest tokens that reach `top_p`, and renormalise."""
    import torch

    ordered, order = logprobs.sort(dim=-1, descending=True, stable=True)
    before = ordered.exp().cumsum(dim=-1) - ordered.exp()
    kept = ordered.masked_fill(before >= top_p[:, None], -torch.inf)
    kept[:, 0] = ordered[:, 0]
    return torch.log_softmax(torch.empty_like(kept).scatter_(1, order, kept), dim=-1)
