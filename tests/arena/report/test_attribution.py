import pytest

from arena.errors import UsageError
from arena.report.attribution import attribute
from arena.spec.factors import UNRECORDED, Factor


@pytest.fixture
def attribute_pair(make_run, make_factors):
    def run(a, b, treatment, more_a=(), more_b=()):
        one = make_run("a", {"suite": ["p"]}, factors=(*make_factors(**a), *more_a))
        other = make_run("b", {"suite": ["p"]}, factors=(*make_factors(**b), *more_b))
        return attribute(one, other, "suite", treatment)

    return run


BASE = {"goal": "v5", "recipe__trainer": "trainers.none:train", "harness__solver": "solvers.react:solver"}


def test_a_difference_under_the_treatment_alone_is_attributable(attribute_pair):
    found = attribute_pair(BASE, BASE | {"recipe__trainer": "trainers.sft:train"}, "recipe")

    assert found.status == "attributable"
    assert [one.path for one in found.treated] == ["recipe.trainer"]
    assert found.reason == "only factors under `recipe` differ"


def test_another_difference_confounds_and_is_named(attribute_pair):
    # Cell 0 against cell 3 of the seed: effort, goal version and GPUs used.
    nuisance_a, nuisance_b = (Factor("trained.gpus_used", gpus, "nuisance") for gpus in (4, 3))
    a, b = {"recipe__effort": "high", "goal": "v2"}, {"recipe__effort": "max", "goal": "v5"}
    found = attribute_pair(a, b, "recipe", [nuisance_a], [nuisance_b])

    assert found.status == "confounded"
    assert [one.path for one in found.confounders] == ["goal", "trained.gpus_used"]
    assert "`goal`, `trained.gpus_used`" in found.reason


def test_runs_that_differ_in_nothing_are_a_noise_run(attribute_pair):
    assert attribute_pair(BASE, BASE, "recipe").status == "vacuous"


def test_what_one_side_did_not_record_is_not_equal(attribute_pair):
    changed = BASE | {"recipe__trainer": "trainers.sft:train"}
    found = attribute_pair(BASE | {"serve__dtype": UNRECORDED}, changed | {"serve__dtype": UNRECORDED}, "recipe")

    assert found.status == "unrecorded"
    assert [one.path for one in found.unrecorded] == ["serve.dtype"]


def test_a_treatment_that_nobody_recorded_may_not_have_taken_place(attribute_pair):
    found = attribute_pair(BASE | {"recipe__lr": UNRECORDED}, BASE | {"recipe__lr": 0.1}, "recipe")

    assert found.status == "unrecorded"
    assert [one.path for one in found.unrecorded] == ["recipe.lr"]


def test_a_confounder_outweighs_what_is_unrecorded(attribute_pair):
    found = attribute_pair(BASE | {"serve__dtype": UNRECORDED}, BASE | {"goal": "v6", "serve__dtype": 1}, "recipe")

    assert found.status == "confounded"


def test_consequences_of_the_treatment_are_listed_and_confound_nothing(attribute_pair):
    weights = [Factor("trained.weights", digest, "consequence", "recipe") for digest in ("aa", "bb")]
    found = attribute_pair(BASE, BASE | {"recipe__seed": 1}, "recipe", weights[:1], weights[1:])

    assert found.status == "attributable"
    assert [one.path for one in found.consequences] == ["trained.weights"]


def test_a_treatment_that_names_a_consequence_covers_what_it_was_made_from(attribute_pair):
    weights = [Factor("trained.weights", digest, "consequence", "recipe") for digest in ("aa", "bb")]
    found = attribute_pair(BASE, BASE | {"recipe__seed": 1}, "trained", weights[:1], weights[1:])

    assert found.status == "attributable"


def test_without_a_declared_treatment_nothing_is_attributable(attribute_pair):
    found = attribute_pair(BASE, BASE | {"recipe__seed": 1}, None)

    assert found.status == "confounded"
    assert found.reason == "no treatment was declared, and these differ: `recipe.seed`"


def test_another_suites_factors_do_not_confound_this_one(attribute_pair):
    found = attribute_pair(BASE | {"evaluate__other__retries": 1}, BASE | {"recipe__seed": 1}, "recipe")

    assert found.status == "attributable"


def test_a_treatment_that_names_no_factor_is_refused_with_the_nearest_one(attribute_pair):
    with pytest.raises(UsageError, match="did you mean 'recipe"):
        attribute_pair(BASE, BASE | {"recipe__seed": 1}, "recpie")


def test_a_run_without_factors_is_equal_to_nothing(attribute_pair):
    assert attribute_pair({}, BASE, "recipe").status == "unrecorded"
