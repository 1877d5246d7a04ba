from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.spec.factors import UNRECORDED, Difference, Factor, Role, differing, factors, for_suite, under
from arena.spec.plan import Plan
from arena.spec.source import PluginSource

Planner = Callable[..., Plan]
RECORDS: dict[str, dict[str, Any]] = {
    "check": {"machine": {"cores": 2, "gpus": []}, "packages": {"torch": "2.13"}, "source": {"commit": "abc"}},
    "train": {
        "steps": 100,
        "status": "completed",
        "weights_after": "w1",
        "checkpoints": [{"name": "final", "step": 100, "path": "out/final", "digest": "w1"}],
        "measures": {"loss": 0.5, "tokens_per_s": 300.0},
        "history": [{"step": 1, "loss": 3.0}],
        "used": {"seconds": 12.5, "gpus": 0},
    },
    "package": {"stop_token_ids": [1, 2], "generation_config_found": None},
    "serve": {"facts": {"dtype": "float32", "eos": [1, 2]}},
    "evaluate": {"logs": {"a.eval": "ff"}, "seconds": [3.0]},
    "summarise": {"episodes": 8},
}


def changed(stage: str, **facts: Any) -> dict[str, dict[str, Any]]:
    return {**RECORDS, stage: {**RECORDS[stage], **facts}}


def by_path(found: tuple[Factor, ...]) -> dict[str, Factor]:
    return {factor.path: factor for factor in found}


def paths(differences: tuple[Difference, ...]) -> list[str]:
    return [one.path for one in differences]


def test_a_plan_and_its_records_are_flattened_with_roles(planned: Planner) -> None:
    plan = planned(
        recipe={
            "trainer": "trainers.sft:train",
            "seed": 3,
            "with": {"lora": {"r": 16}, "data": "data/x.jsonl", "on": [1]},
        },
        facts={"data": {"data/x.jsonl": "ab"}},
    )
    found = by_path(factors(plan, RECORDS))
    expected: list[tuple[str, Any, Role, str | None]] = [
        ("goal", "v5", "design", None),
        ("goal.digest", "ab" * 32, "design", None),
        ("model.base", "arena/tiny-coder", "design", None),
        ("budget.hours", 1.0, "design", None),
        ("recipe.trainer", "trainers.sft:train", "design", None),
        ("recipe.trainer.source", "f1", "design", None),
        ("recipe.seed", 3, "design", None),
        ("recipe.with.lora.r", 16, "design", None),
        ("recipe.with.data", "sha256:ab", "design", None),
        ("recipe.with.on", "[1]", "design", None),
        ("package.stop_tokens", "as_is", "design", None),
        ("harness.solver.source", "f1", "design", None),
        ("harness.resolved.prompt", "Repair it.", "consequence", "harness"),
        ("evaluate.mini_swe.replicates", 2, "design", None),
        ("evaluate.mini_swe.scorer.source", "f1", "design", None),
        ("checked.machine.cores", 2, "nuisance", None),
        ("checked.packages.torch", "2.13", "nuisance", None),
        ("trained.steps", 100, "consequence", "recipe"),
        ("trained.weights_after", "w1", "consequence", "recipe"),
        ("trained.checkpoints", '[{"digest":"w1","name":"final","step":100}]', "consequence", "recipe"),
        ("trained.used.gpus", 0, "nuisance", None),
        ("packaged.stop_token_ids", "[1,2]", "consequence", "package"),
        ("packaged.generation_config_found", None, "nuisance", None),
        ("served.facts.dtype", "float32", "consequence", "serve"),
    ]
    assert [found[path] for path, *_ in expected] == [Factor(*one) for one in expected]


def test_names_files_times_commits_and_logs_are_no_factors(planned: Planner) -> None:
    found = factors(planned(cell="any-name"), RECORDS)
    assert [one.path for one in found] == sorted(one.path for one in found)
    assert not [one for one in found if one.value in ("any-name", 12.5, "out/final", "abc")]
    for word in ("seconds", "history", "logs", "summarise", "evaluated"):
        assert not [one for one in found if word in one.path]


def test_a_plugins_packages_are_nuisance_beside_its_source(planned: Planner) -> None:
    plugins = (PluginSource("trainers.none:train", "d", "f", (), (("torch", "2.13"), ("a.b", "1"))),)
    found = by_path(factors(planned(facts={"plugins": plugins}), {}))
    assert found["packages.torch"] == Factor("packages.torch", "2.13", "nuisance")
    assert found['packages."a.b"'].value == "1"


def test_the_same_plan_and_records_differ_in_nothing(planned: Planner) -> None:
    one = factors(planned(), RECORDS)
    nothing = differing(one, one)
    assert (nothing.design, nothing.nuisance, nothing.consequences, nothing.unrecorded) == ((), (), (), ())


def test_a_recipe_and_all_that_follows_from_it_are_told_apart(planned: Planner) -> None:
    sft = planned(recipe={"with": {"lr": 1e-4}})
    found = differing(
        factors(planned(), RECORDS), factors(sft, changed("train", weights_after="w2", measures={"loss": 0.1}))
    )
    assert found.design == (Difference("recipe.with.lr", "design", None, 1e-4),)
    assert paths(found.consequences) == [
        "trained.measures.loss",
        "trained.measures.tokens_per_s",
        "trained.weights_after",
    ]
    assert (found.nuisance, found.unrecorded) == ((), ())


def test_weights_that_differ_though_no_recipe_does_are_a_nuisance(planned: Planner) -> None:
    records = changed("train", weights_after="w2", measures={"loss": 0.4, "tokens_per_s": 1.0})
    found = differing(factors(planned(), RECORDS), factors(planned(harness={"with": {"x": 1}}), records))
    assert paths(found.design) == ["harness.with.x"]
    assert found.nuisance == (Difference("trained.weights_after", "consequence", "w1", "w2", "recipe"),)
    assert paths(found.consequences) == ["trained.measures.loss", "trained.measures.tokens_per_s"]


def test_stop_tokens_follow_from_packaging_and_from_the_model(planned: Planner) -> None:
    records = changed("package", stop_token_ids=[1])
    for sections in ({"package": {"stop_tokens": "union"}}, {"model": {"base": "other", "revision": "1" * 40}}):
        found = differing(factors(planned(), RECORDS), factors(planned(**sections), records))
        assert paths(found.consequences) == ["packaged.stop_token_ids"]
        assert found.nuisance == ()
    alone = differing(factors(planned(), RECORDS), factors(planned(serve={"max_model_len": 9}), records))
    assert paths(alone.nuisance) == ["packaged.stop_token_ids"]


def test_a_plugin_changes_the_design_and_its_prompt_follows(planned: Planner) -> None:
    plugin = planned(harness={"plugins": ["solvers.workdir:plugin"]}, facts={"harness": {"prompt": "Stay here."}})
    found = differing(factors(planned(facts={"harness": {"prompt": "Repair."}}), {}), factors(plugin, {}))
    assert paths(found.design) == ["harness.plugins", 'harness.plugins."solvers.workdir:plugin".source']
    assert all(under(one.path, "harness.plugins") for one in found.design)
    assert paths(found.consequences) == ["harness.resolved.prompt"]


def test_hardware_and_gpus_used_are_nuisance(planned: Planner) -> None:
    records = changed("train", used={"gpus": 3, "seconds": 1.0}) | {"check": {"machine": {"cores": 64, "gpus": []}}}
    records["check"].update(packages={"torch": "2.13"}, source={"commit": "abc"})
    found = differing(factors(planned(), RECORDS), factors(planned(), records))
    assert paths(found.nuisance) == ["checked.machine.cores", "trained.used.gpus"]
    assert (found.design, found.consequences) == ((), ())


def test_unknown_is_equal_to_nothing_itself_included(planned: Planner) -> None:
    unknown = factors(planned(), changed("serve", facts={"dtype": UNRECORDED, "eos": [1, 2]}))
    for other in (unknown, factors(planned(), RECORDS)):
        found = differing(unknown, other)
        assert paths(found.unrecorded) == ["served.facts.dtype"]
        assert (found.design, found.nuisance, found.consequences) == ((), (), ())


def test_what_only_one_side_recorded_is_unrecorded_unless_the_design_explains_it(planned: Planner) -> None:
    fuller = changed("serve", facts={"dtype": "float32", "eos": [1, 2], "template": "t"})
    found = differing(factors(planned(), RECORDS), factors(planned(), fuller))
    assert found.unrecorded == (Difference("served.facts.template", "consequence", None, "t", "serve"),)
    explained = differing(factors(planned(), RECORDS), factors(planned(serve={"engine": "vllm"}), fuller))
    assert paths(explained.consequences) == ["served.facts.template"]
    assert explained.unrecorded == ()
    no_check = {stage: record for stage, record in RECORDS.items() if stage != "check"}
    lost = differing(factors(planned(), RECORDS), factors(planned(), no_check))
    assert paths(lost.unrecorded) == ["checked.machine.cores", "checked.machine.gpus", "checked.packages.torch"]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [(1, 1.0, True), (1, True, False), (0, False, False), ("1", 1, False), (None, False, False), ([1], "[1]", False)],
)
def test_values_are_the_same_only_as_json_is(planned: Planner, a: Any, b: Any, same: bool) -> None:
    one, two = (factors(planned(serve={"args": {"x": value}}), {}) for value in (a, b))
    assert (differing(one, two).design == ()) is same


def test_a_null_is_not_an_absent_key_and_a_dot_in_a_key_is_no_level(planned: Planner) -> None:
    nothing, null, flat, nested = (
        factors(planned(serve={"args": args}), {}) for args in ({}, {"a": None}, {"a.b": 1}, {"a": {"b": 1}})
    )
    assert paths(differing(nothing, null).design) == ["serve.args.a"]
    assert paths(differing(flat, nested).design) == ['serve.args."a.b"', "serve.args.a.b"]


@given(st.dictionaries(st.text("abc.", min_size=1, max_size=3), st.integers() | st.text("[x1", max_size=3), max_size=5))
def test_swapping_the_sides_swaps_the_values_and_nothing_else(facts: dict[str, Any]) -> None:
    one = tuple(Factor(f"serve.args.{key}", value, "design") for key, value in sorted(facts.items()))
    two = (*one[1:], Factor("serve.engine", "vllm", "design"))
    there, back = differing(one, two), differing(two, one)
    assert [(x.path, x.a, x.b) for x in there.design] == [(x.path, x.b, x.a) for x in back.design]
    assert len(there.design) == 1 + len(one[:1])


def test_factors_of_another_suites_panel_can_be_left_out(planned: Planner) -> None:
    plan = planned(evaluate=[{"suite": "mini_swe"}, {"suite": "mini_swe_2"}, {"suite": "own.suite:make"}])
    records = {"attest": {"mini_swe": {"attested": 9}, "mini_swe_2": {"attested": 8}}}
    found = for_suite(factors(plan, records), "mini_swe")
    heads = {one.path.split(".")[1] for one in found if one.path.startswith(("evaluate", "attested"))}
    assert heads == {"mini_swe"}
    assert "attested.mini_swe.attested" in by_path(found)
    assert "recipe.seed" in by_path(found)
    own = for_suite(factors(plan, records), "own.suite:make")
    assert by_path(own)['evaluate."own.suite:make".replicates'].value == 1


@pytest.mark.parametrize(
    ("path", "prefix", "is_under"),
    [
        ("recipe", "recipe", True),
        ("recipe.with.lr", "recipe", True),
        ("recipe.with.lr", "recipe.with", True),
        ("recipes.with", "recipe", False),
        ("recipe", "recipe.with", False),
    ],
)
def test_a_treatment_is_a_prefix_of_whole_words(path: str, prefix: str, is_under: bool) -> None:
    assert under(path, prefix) is is_under
