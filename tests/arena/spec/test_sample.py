import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import CellError
from arena.spec.sample import Sample, ids_digest, resolve_sample

POOL = [f"repo__{number:03}" for number in range(500)]
pools = st.sets(st.text("abcdef_0123", min_size=1, max_size=6), min_size=2, max_size=40)


def test_seed0_250_is_pythons_own_draw_from_the_sorted_ids() -> None:
    sample = resolve_sample("seed0-250", reversed(POOL))
    assert sample.ids == tuple(random.Random(0).sample(sorted(POOL), 250))
    assert sample.ids[:3] == ("repo__432", "repo__197", "repo__388")
    assert sample.ids_digest == "f38b9311e07ed97577a605e35632f41810d76f8e458cf11cd30cc47631c66175"
    assert (sample.seed, sample.algorithm) == (0, "random.Random(0).sample(sorted(ids), 250)")


@given(pools, st.integers(0, 99), st.data())
def test_a_drawn_sample_and_its_dev_sample_part_the_pool(pool: set[str], seed: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(pool) - 1))
    drawn = resolve_sample(f"seed{seed}-{size}", pool)
    rest = resolve_sample(f"seed{seed}-{size}-dev", pool)
    assert len(drawn.ids) == size
    assert set(drawn.ids) | set(rest.ids) == pool
    assert not set(drawn.ids) & set(rest.ids)
    assert drawn.pool_digest == rest.pool_digest == resolve_sample("all", pool).ids_digest


@given(pools, st.randoms(use_true_random=False))
def test_the_order_in_which_a_pool_is_given_changes_nothing(pool: set[str], shuffler: random.Random) -> None:
    shuffled = sorted(pool)
    shuffler.shuffle(shuffled)
    for name in ("all", "first-1", "seed3-1", "seed3-1-dev"):
        assert resolve_sample(name, shuffled) == resolve_sample(name, sorted(pool))
    assert ids_digest(shuffled) == ids_digest(pool)


@given(pools, st.data())
def test_dropped_tasks_are_listed_and_the_rest_keeps_its_order(pool: set[str], data: st.DataObject) -> None:
    sample = resolve_sample(f"seed1-{len(pool)}", pool)
    drop = data.draw(st.sets(st.sampled_from(sorted(pool))))
    kept = sample.without([*drop, "not in the sample"])
    assert set(kept.dropped) == drop
    assert list(kept.ids) == [one for one in sample.ids if one not in drop]
    assert (kept.ids_digest == sample.ids_digest) == (not drop)
    assert kept.without([]) == kept
    assert kept.pool_digest == sample.pool_digest


def test_first_and_all_and_a_list_of_ids() -> None:
    assert resolve_sample("first-3", POOL).ids == tuple(POOL[:3])
    assert resolve_sample("all", POOL).ids == tuple(POOL)
    listed = resolve_sample(["repo__003", "repo__001"], POOL)
    assert (listed.name, listed.ids) == ("listed", ("repo__003", "repo__001"))
    assert listed.ids_digest == ids_digest(["repo__001", "repo__003"])


def test_a_suite_may_ship_samples_and_one_that_a_rule_names_must_agree_with_it() -> None:
    demo = resolve_sample("demo", POOL, {"demo": POOL[:4]})
    assert (demo.ids, demo.algorithm) == (tuple(POOL[:4]), "shipped with the suite")
    right = random.Random(0).sample(POOL, 5)
    assert resolve_sample("seed0-5", POOL, {"seed0-5": right}) == resolve_sample("seed0-5", POOL)
    with pytest.raises(CellError) as error:
        resolve_sample("seed0-5", POOL, {"seed0-5": POOL[:5]})
    rule = "random.Random(0).sample(sorted(ids), 5)"
    assert str(error.value) == f"the suite ships other ids as 'seed0-5' than {rule} gives; its pool has changed"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("seed0-501", "the sample 'seed0-501' asks for 501 tasks, and the suite has 500"),
        ("first-1000", "the sample 'first-1000' asks for 1000 tasks, and the suite has 500"),
        ("seed0-500-dev", "the sample 'seed0-500-dev' is empty: seed0-500 takes the pool's 500 tasks"),
        ("dmeo", "no such sample, got 'dmeo'; did you mean 'demo'?"),
        ("seed0", "no such sample, got 'seed0'; did you mean 'seed0-250'?"),
        ("seed00-250", "no such sample, got 'seed00-250'; did you mean 'seed0-250'?"),
        ("x", "no such sample, got 'x'; there are: all, demo, first-10, seed0-250, seed0-250-dev"),
        (["repo__0001"], "the suite has no task 'repo__0001'; did you mean 'repo__001'?"),
        (["repo__001", "repo__001"], "the sample 'listed' names a task twice"),
    ],
)
def test_a_sample_that_cannot_be_is_refused(name: str | list[str], message: str) -> None:
    with pytest.raises(CellError) as error:
        resolve_sample(name, POOL, {"demo": ["repo__001"]})
    assert str(error.value) == message


def test_samples_are_values() -> None:
    assert isinstance(hash(resolve_sample("all", POOL)), int)
    assert resolve_sample("all", POOL) == Sample(
        "all", "sorted(ids)", None, ids_digest(POOL), ids_digest(POOL), tuple(POOL)
    )
