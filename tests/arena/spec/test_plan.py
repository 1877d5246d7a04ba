import json
from collections.abc import Callable
from typing import Any

import pytest

from arena.errors import RecordError
from arena.spec.plan import PLAN_VERSION, Plan
from arena.spec.sample import resolve_sample
from arena.spec.source import PluginSource

Planner = Callable[..., Plan]
POOL = [f"task-{number}" for number in range(10)]


def test_the_digest_is_the_same_twice_and_does_not_know_the_name(planned: Planner) -> None:
    assert planned().digest == planned().digest == planned(cell="another").digest
    assert planned().digest8 == planned().digest[:8]
    assert len(planned().digest) == 64


def test_claims_are_in_no_plan(planned: Planner) -> None:
    claim = {"id": "a", "treatment": "small", "comparator": "other", "suite": "mini_swe"}
    assert planned(claims=[claim]).digest == planned().digest


@pytest.mark.parametrize(
    "sections",
    [
        {"goal": "v2"},
        {"model": {"base": "arena/other", "revision": "0123456789abcdef0123456789abcdef01234567"}},
        {"budget": {"hours": 2}},
        {"budget": {"hours": 1, "gpus": 1}},
        {"recipe": {"seed": 1}},
        {"recipe": {"with": {"lr": 1e-4}}},
        {"package": {"stop_tokens": "union"}},
        {"harness": {"with": {"message_limit": 61}}},
        {"serve": {"max_model_len": 2048}},
        {"generate": {"temperature": 0.5}},
        {"evaluate": [{"suite": "mini_swe", "sample": "seed0-4", "replicates": 3}]},
        {"evaluate": [{"suite": "mini_swe", "sample": "seed0-5", "replicates": 2}]},
        {"evaluate": [{"suite": "mini_swe", "sample": "seed0-4", "replicates": 2, "retries": 0}]},
        {"facts": {"revision": "sha256:" + "0" * 64}},
        {"facts": {"harness": {"prompt": "Repair it!"}}},
        {"facts": {"data": {"data.jsonl": "ab"}}},
        {"facts": {"images": {"image": "sha256:ab"}}},
        {"facts": {"plugins": ()}},
    ],
    ids=str,
)
def test_everything_declared_or_resolved_changes_the_digest(planned: Planner, sections: dict[str, Any]) -> None:
    assert planned(**sections).digest != planned().digest


def test_a_changed_goal_text_suite_or_plugin_changes_the_digest(planned: Planner) -> None:
    plan = planned()
    changed = [
        plan.model_copy(update={"goal": plan.goal.model_copy(update={"digest": "ff"})}),
        plan.model_copy(update={"panels": (plan.panels[0].model_copy(update={"suite_digest": "ff"}),)}),
        plan.model_copy(update={"plugins": (plan.plugins[0].model_copy(update={"digest": "ff"}),)}),
    ]
    assert len({plan.digest, *(one.digest for one in changed)}) == 4


def test_the_order_in_which_facts_are_given_changes_nothing(planned: Planner) -> None:
    one, two = (PluginSource(name, "d", "f", (), (("torch", "2"),)) for name in ("a:b", "c:d"))
    assert planned(facts={"plugins": (one, two)}).digest == planned(facts={"plugins": (two, one, two)}).digest
    data = {"x": "1", "y": "2"}
    assert planned(facts={"data": data}).digest == planned(facts={"data": dict(reversed(data.items()))}).digest


def test_a_plan_survives_its_file(planned: Planner) -> None:
    plan = planned(recipe={"with": {"lr": 1e-4, "nested": {"a": [1, None, "é"]}}})
    again = Plan.from_json(plan.to_json())
    assert again == plan
    assert again.digest == plan.digest
    assert json.loads(plan.to_json())["digest"] == plan.digest


def test_a_plan_names_every_id_of_its_samples(planned: Planner) -> None:
    ids = resolve_sample("seed0-4", POOL).ids
    assert [sample.ids for sample in planned().panels[0].samples] == [ids, ids]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"retries": 2', '"retries": 3', "a plan was changed: its digest is "),
        ('"version": 1', '"version": 2', f"expected a plan of version {PLAN_VERSION}, got 2; plan the cell again"),
        ('"revision"', '"revison"', "a plan is damaged at revision: Field required; plan the cell again"),
        ("}\n", "\n", "a plan is damaged, got no valid JSON: "),
    ],
)
def test_a_changed_or_damaged_plan_is_refused(planned: Planner, old: str, new: str, message: str) -> None:
    text = planned(model={"from": {"cell": "a", "checkpoint": "final"}}).to_json()
    position = text.rindex(old)
    with pytest.raises(RecordError) as error:
        Plan.from_json(text[:position] + new + text[position + len(old) :])
    assert str(error.value).startswith(message)


def test_something_else_than_a_plan_is_refused() -> None:
    with pytest.raises(RecordError, match=r"expected a plan of version 1, got 'list'; plan the cell again"):
        Plan.from_json("[]")


def test_a_plan_needs_the_facts_of_each_panel(planned: Planner) -> None:
    with pytest.raises(ValueError, match="facts of 0 panels for a cell with 1"):
        planned(facts={"panels": ()})
