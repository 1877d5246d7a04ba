import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from stats import interaction, paired

NAN = np.nan
designs = st.tuples(st.integers(1, 9), st.integers(1, 3)).flatmap(
    lambda shape: arrays(float, (4, *shape), elements=st.sampled_from([0.0, 1.0, NAN]))
)


@given(designs)
def test_effects_add_up_on_the_tasks_that_all_four_scored(y: np.ndarray) -> None:
    table = interaction(*y)
    scored = np.isfinite(y).any(axis=2).all(axis=0)
    if not scored.any():
        assert table.interaction.difference is None
        return
    r00, r01, r10, r11 = np.nanmean(y[:, scored], axis=2).mean(axis=1)
    found = [
        table.interaction,
        table.first,
        table.second,
        table.first_without,
        table.first_with,
        table.second_without,
        table.second_with,
    ]
    expected = [
        r11 - r10 - r01 + r00,
        (r10 + r11 - r00 - r01) / 2,
        (r01 + r11 - r00 - r10) / 2,
        r10 - r00,
        r11 - r01,
        r01 - r00,
        r11 - r10,
    ]
    assert [effect.difference for effect in found] == pytest.approx(expected, abs=1e-12)
    assert table.first_with.difference - table.first_without.difference == pytest.approx(table.interaction.difference)
    bounds = [2, 1, 1, 1, 1, 1, 1]
    assert all(effect.score_interval.hi <= bound for effect, bound in zip(found, bounds, strict=True))


@given(designs)
def test_it_does_not_matter_which_factor_is_called_the_first(y: np.ndarray) -> None:
    there, turned = interaction(*y), interaction(y[0], y[2], y[1], y[3])
    assert there.interaction == turned.interaction
    assert (there.first, there.second) == (turned.second, turned.first)


def test_weights_help_on_the_one_harness_and_hurt_on_the_other() -> None:
    """Counts of the published table: 11, 69 (base), 33, 52 (trained) of 250; -39 tasks, -15.6 points."""
    table = interaction(*((np.arange(250) < k) * 1.0 for k in (11, 69, 33, 52)))
    assert table.interaction.difference == pytest.approx(-0.156)
    assert table.first_without.difference == pytest.approx(0.088)
    assert table.first_with.difference == pytest.approx(-0.068)


def test_a_simple_effect_is_the_paired_difference() -> None:
    y = (np.random.default_rng(0).random((4, 50, 2)) < 0.4) * 1.0
    assert interaction(*y).first_without == paired(y[0], y[2]).effect
