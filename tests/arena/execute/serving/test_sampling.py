import numpy as np
import pytest
import scipy.stats as sps
import torch

from arena.execute.episode_key import EpisodeKey
from arena.execute.serving.sampling import Sampling, call_seed, draw, uniforms

LOGITS = torch.tensor([2.0, 0.0, 1.0, -1.0, 2.0, -torch.inf, 0.5])


def draws(sampling: Sampling, count: int = 4000) -> tuple[list[int], list[float]]:
    numbers = uniforms(sampling).random(count)
    return draw(LOGITS.expand(count, -1), [sampling] * count, list(numbers))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_come_as_often_as_their_probability_says(temperature: float) -> None:
    tokens, logprobs = draws(Sampling(temperature, 1.0, 7))
    expected = torch.softmax(LOGITS.double() / temperature, 0).numpy()
    counts = np.bincount(tokens, minlength=len(LOGITS))
    assert counts[5] == 0
    possible = expected > 0
    assert sps.chisquare(counts[possible], expected[possible] * len(tokens)).pvalue > 1e-3
    np.testing.assert_allclose(logprobs, np.log(expected[tokens]))


@pytest.mark.parametrize(
    ("top_p", "kept"), [(0.01, {0}), (0.5, {0, 4}), (0.75, {0, 2, 4}), (0.999999, {0, 1, 2, 3, 4, 6})]
)
def test_top_p_keeps_the_fewest_likeliest_tokens_and_renormalises(top_p: float, kept: set[int]) -> None:
    tokens, logprobs = draws(Sampling(1.0, top_p, 7))
    assert set(tokens) == kept
    by_token = dict(zip(tokens, np.exp(logprobs), strict=True))
    assert sum(by_token.values()) == pytest.approx(1)


def test_zero_temperature_takes_the_first_likeliest_at_the_models_own_probability() -> None:
    tokens, logprobs = draws(Sampling(0.0, 0.5, 7), 3)
    assert tokens == [0, 0, 0]
    assert logprobs == pytest.approx([float(torch.log_softmax(LOGITS.double(), 0)[0])] * 3)


def test_rows_of_one_batch_are_drawn_each_by_its_own_rule() -> None:
    samplings = [Sampling(0.0, 1.0, 1), Sampling(1.0, 0.5, 2), Sampling(2.0, 1.0, 3)]
    rows = torch.stack([LOGITS, LOGITS.flip(0), LOGITS])
    numbers = [0.9, 0.7, 0.3]
    together = draw(rows, samplings, numbers)
    alone = [
        draw(rows[place : place + 1], samplings[place : place + 1], numbers[place : place + 1]) for place in range(3)
    ]
    assert together == ([tokens[0] for tokens, _ in alone], [logprobs[0] for _, logprobs in alone])


@pytest.mark.parametrize("number", [0.0, 1 - 2**-53])
def test_the_ends_of_the_unit_interval_give_possible_tokens(number: float) -> None:
    logits = torch.tensor([[-torch.inf, 0.0, 1.0, -torch.inf]])
    tokens, logprobs = draw(logits, [Sampling(1.0, 1.0, 0)], [number])
    assert tokens == [1 if number == 0 else 2]
    assert np.isfinite(logprobs).all()


def test_a_calls_seed_is_of_all_that_names_it_but_the_attempt() -> None:
    key = EpisodeKey("mini", "repo-1", 1, 1)
    # The value is part of what a published seed means: a change of it needs another sampling.SCHEME.
    assert call_seed(0, key, 0) == 9932104685907273845
    assert call_seed(0, EpisodeKey("mini", "repo-1", 1, 2), 0) == call_seed(0, key, 0)
    others = [
        call_seed(1, key, 0),
        call_seed(0, key, 1),
        call_seed(0, None, 0),
        call_seed(0, EpisodeKey("mini", "repo-2", 1, 1), 0),
        call_seed(0, EpisodeKey("mini", "repo-1", 2, 1), 0),
        call_seed(0, EpisodeKey("other", "repo-1", 1, 1), 0),
        call_seed(0, EpisodeKey("mini", "repo-1", 1, 1, parent="mini/repo-1/r1/a1"), 0),
    ]
    assert len({call_seed(0, key, 0), *others}) == 8
