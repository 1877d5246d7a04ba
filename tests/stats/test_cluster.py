import itertools

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from stats import cluster_sensitivity, paired

NAN = np.nan


def drawn(seed: int = 0, tasks: int = 60) -> tuple[np.ndarray, np.ndarray, list[str]]:
    generator = np.random.default_rng(seed)
    first, second = ((generator.random((tasks, 2)) < p) * 1.0 for p in (0.3, 0.45))
    return first, second, [f"repo{r}" for r in generator.integers(0, 6, tasks)]


def test_the_clustered_error_and_p_are_those_of_statsmodels() -> None:
    first, second, repos = drawn()
    ours = cluster_sensitivity(first, second, repos)
    assert ours is not None
    moved = second.mean(axis=1) - first.mean(axis=1)
    groups = np.unique(repos, return_inverse=True)[1]
    fit = sm.OLS(moved, np.ones(moved.size)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}, use_t=True
    )
    assert ours.se_clustered == pytest.approx(fit.bse[0], rel=1e-12)
    assert ours.p_clustered == pytest.approx(fit.pvalues[0], rel=1e-9)
    assert (ours.interval.lo, ours.interval.hi) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-9)
    assert ours.se == pytest.approx(paired(first, second).effect.se, rel=1e-12)
    assert ours.ratio == ours.se_clustered / ours.se


def test_all_signs_of_the_clusters_are_flipped() -> None:
    first, second, repos = drawn(3)
    ours = cluster_sensitivity(first, second, repos)
    assert ours is not None
    sums = [int(2 * (second - first).mean(axis=1)[np.array(repos) == repo].sum()) for repo in sorted(set(repos))]
    totals = [abs(np.dot(signs, sums)) for signs in itertools.product((-1, 1), repeat=len(sums))]
    assert ours.p_signflip == pytest.approx(np.mean(np.array(totals) >= abs(sum(sums))), abs=1e-12)


def test_tasks_as_their_own_clusters_change_nothing() -> None:
    first, second, _ = drawn(1)
    ours, plain = cluster_sensitivity(first, second, range(60)), paired(first, second).effect
    assert ours is not None
    assert ours.ratio == pytest.approx(1, rel=1e-12)
    assert ours.p_signflip == pytest.approx(plain.p_exact, abs=1e-12)
    assert ours.effective == 60


def test_one_repository_that_carries_the_difference_is_seen() -> None:
    first, second = np.zeros(100), np.r_[np.ones(20), np.zeros(80)]
    ours = cluster_sensitivity(first, second, ["a"] * 20 + [f"r{i // 20}" for i in range(80)])
    assert ours is not None
    assert ours.ratio > 1.5
    assert ours.p_signflip == 1.0 > paired(first, second).effect.p_exact


def test_unequal_clusters_are_few_effective_ones() -> None:
    sizes = [231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1]
    repos = np.repeat(np.arange(12), sizes).tolist()
    ours = cluster_sensitivity(np.zeros(500), np.resize([0.0, 1.0, 0.0], 500), repos)
    assert ours is not None
    assert (ours.clusters, round(ours.effective, 1)) == (12, 3.9)


def test_fewer_than_two_clusters_say_nothing() -> None:
    assert cluster_sensitivity([1, 0], [0, 1], ["a", "a"]) is None
    assert cluster_sensitivity([1, NAN], [0, 1], ["a", "b"]) is None
    with pytest.raises(ValueError, match="every task needs a cluster"):
        cluster_sensitivity([1, 0], [0, 1], ["a"])


@given(st.permutations(range(30)))
def test_order_of_tasks_does_not_matter(order: list[int]) -> None:
    first, second, repos = drawn(2, 30)
    there = cluster_sensitivity(first, second, repos)
    back = cluster_sensitivity(first[order], second[order], [repos[task] for task in order])
    assert there is not None
    assert back is not None
    assert (back.se_clustered, back.p_signflip) == pytest.approx((there.se_clustered, there.p_signflip), rel=1e-9)
