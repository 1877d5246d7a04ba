import numpy as np
import pytest
import scipy.stats as sps
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from stats import mcnemar, smallest_p
from stats.mcnemar import exact_p, midp


def test_exact_p_agrees_with_binomtest_and_statsmodels_for_all_counts_below_40() -> None:
    for b in range(40):
        for c in range(40):
            ours = mcnemar(b, c).p_exact
            assert ours == pytest.approx(sps.binomtest(b, b + c).pvalue if b + c else 1.0, rel=1e-12)
    for b, c in [(29, 7), (21, 38), (31, 12), (4, 0), (3, 3)]:
        theirs = statsmodels_mcnemar([[5, b], [c, 9]], exact=True).pvalue
        assert mcnemar(b, c).p_exact == pytest.approx(theirs, rel=1e-12)


def test_midp_counts_the_outcome_seen_half() -> None:
    for b, c in [(29, 7), (8, 9), (0, 5), (1, 0)]:
        seen = sps.binom.pmf(min(b, c), b + c, 0.5)
        assert mcnemar(b, c).p_midp == pytest.approx(mcnemar(b, c).p_exact - seen, rel=1e-12)
    assert [mcnemar(k, k).p_midp for k in (0, 1, 17)] == [1.0, 1.0, 1.0]


def test_counts_may_be_arrays_and_the_order_of_the_cells_does_not_matter() -> None:
    b, c = np.meshgrid(np.arange(30), np.arange(30))
    for test in (exact_p, midp):
        assert test(b, c).shape == (30, 30)
        assert np.array_equal(test(b, c), test(c, b))
    assert exact_p(29, 7) == mcnemar(29, 7).p_exact


@pytest.mark.parametrize(("moved", "least"), [(0, 1.0), (1, 1.0), (2, 0.5), (4, 0.125), (5, 0.0625), (6, 0.03125)])
def test_few_discordant_tasks_cannot_reach_a_small_p(moved: int, least: float) -> None:
    assert smallest_p(moved) == least
    assert mcnemar(moved, 0).p_exact == mcnemar(moved, 0).p_smallest == least


@pytest.mark.parametrize(("b", "c"), [(-1, 3), (3, -1), (2.5, 1)])
def test_counts_that_are_none_are_refused(b: float, c: float) -> None:
    with pytest.raises(ValueError, match="whole number"):
        mcnemar(b, c)
