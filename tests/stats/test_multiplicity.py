import numpy as np
import pytest
import scipy.stats as sps
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from stats import adjust

SEED = [2.0495153187175896e-11, 0.0003125511575490236, 0.036343179957053856, 0.005401572654591285]
families = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def test_the_four_published_p_values() -> None:
    holm, bh = adjust(SEED, "2 x 2 of the seed"), adjust(SEED, "2 x 2 of the seed", "bh")
    assert holm.adjusted == pytest.approx(
        [8.198061274870359e-11, 0.0009376534726470707, 0.036343179957053856, 0.01080314530918257], rel=1e-12
    )
    assert bh.adjusted == pytest.approx(
        [8.198061274870359e-11, 0.0006251023150980471, 0.036343179957053856, 0.00720209687278838], rel=1e-12
    )
    assert (holm.family, holm.size, holm.p) == ("2 x 2 of the seed", 4, tuple(SEED))


@settings(max_examples=40)
@given(families)
def test_statsmodels_and_scipy_agree(p: list[float]) -> None:
    assert adjust(p, "f").adjusted == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert adjust(p, "f", "bh").adjusted == pytest.approx(sps.false_discovery_control(p), abs=1e-12)


@given(families, st.randoms(use_true_random=False))
def test_order_does_not_matter(p: list[float], random) -> None:
    order = random.sample(range(len(p)), len(p))
    for method in ("holm", "bh"):
        there = np.array(adjust(p, "f", method).adjusted)
        assert adjust(np.array(p)[order], "f", method).adjusted == pytest.approx(there[order])


def test_a_declared_test_without_a_result_still_counts() -> None:
    adjusted = adjust([0.01, np.nan, 0.04], "f").adjusted
    assert adjusted[:1] + adjusted[2:] == pytest.approx((0.03, 0.08))
    assert np.isnan(adjusted[1])
    assert adjust([0.01, np.nan], "f", "bh").adjusted[0] == pytest.approx(0.02)


def test_a_family_without_a_name_and_a_p_beyond_one_are_refused() -> None:
    with pytest.raises(ValueError, match="a family needs a name"):
        adjust([0.1], " ")
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjust([1.2], "f")
