from collections.abc import Mapping, Sequence

from arena.execute.panels import planned, replicate_tasks, sample_digest, union_ids
from arena.execute.resolve import ResolvedPanel
from arena.spec.sample import resolve_sample
from arena.suites.environment import BubblewrapEnvironment
from arena.suites.suite import SuiteTask

IDS = [f"t{number}" for number in range(6)]


class Numbers:
    name = "numbers"
    scorer = "scorers.swe_bench:scorer"
    score_definition = "resolved/scored"

    def digest(self) -> str:
        return "d"

    def ids(self) -> Sequence[str]:
        return IDS

    def samples(self) -> Mapping[str, Sequence[str]]:
        return {}

    def tasks(self, ids: Sequence[str]) -> Sequence[SuiteTask]:
        return [SuiteTask(one, "", "/", "g", "1") for one in ids]

    def environment(self, task: SuiteTask) -> BubblewrapEnvironment:
        return BubblewrapEnvironment()

    grading_environment = environment


def panel(*names: str) -> ResolvedPanel:
    return ResolvedPanel(Numbers(), tuple(resolve_sample(name, IDS) for name in names))


def test_a_panel_of_equal_replicates_plans_every_task_in_each():
    found = planned(panel("all", "all"), "numbers", {})
    assert found.planned == 12
    assert found.absent == ()
    assert found.sample == "all"
    assert found.sample_digest == resolve_sample("all", IDS).ids_digest


def test_replicates_with_samples_of_their_own_plan_only_their_tasks():
    found = planned(panel("all", "first-2"), "numbers", {})
    assert found.planned == 8
    assert set(found.absent) == {(task, 2) for task in IDS[2:]}
    assert found.sample == "all, first-2"


def test_a_task_that_cannot_be_scored_is_left_out_of_every_replicate_with_its_reason():
    gone = {"t1": "the reference solution does not pass"}
    both = panel("all", "first-2")
    found = planned(both, "numbers", gone)
    assert "t1" not in found.task_ids
    assert found.unscorable == (("t1", "the reference solution does not pass"),)
    assert found.planned == 6
    assert [[task.id for task in tasks] for tasks in replicate_tasks(both, gone)] == [
        ["t0", "t2", "t3", "t4", "t5"],
        ["t0"],
    ]
    assert found.sample_digest != planned(both, "numbers", {}).sample_digest


def test_the_union_keeps_the_order_in_which_tasks_are_drawn():
    drawn = panel("seed1-3", "all")
    assert union_ids(drawn)[:3] == drawn.samples[0].ids
    assert sample_digest([drawn.samples[0]]) == drawn.samples[0].ids_digest
