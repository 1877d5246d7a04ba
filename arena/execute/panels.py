"""From a resolved panel and its attestation to what is planned, and to the job that works on it."""

from collections.abc import Mapping

from arena.execute.resolve import ResolvedPanel
from arena.records.run import Panel
from arena.spec.canonical import digest_of
from arena.spec.sample import Sample
from arena.suites.environment import BubblewrapEnvironment, DockerEnvironment
from arena.suites.suite import SuiteTask


def union_ids(panel: ResolvedPanel) -> tuple[str, ...]:
    """Return the ids of all replicates' samples, in the order in which they are first drawn."""
    return tuple(dict.fromkeys(task for sample in panel.samples for task in sample.ids))


def planned(panel: ResolvedPanel, name: str, unscorable: Mapping[str, str]) -> Panel:
    """Return the panel's record: the same tasks for every cell that has this sample on this machine."""
    samples = [sample.without(unscorable) for sample in panel.samples]
    ids = tuple(task for task in union_ids(panel) if task not in unscorable)
    return Panel(
        suite=name,
        sample=sample_name(panel.samples),
        sample_digest=sample_digest(samples),
        task_ids=ids,
        replicates=len(samples),
        score_definition=panel.suite.score_definition,
        absent=tuple((task, r) for r, sample in enumerate(samples, start=1) for task in ids if task not in sample.ids),
        unscorable=tuple(sorted((task, unscorable[task]) for task in union_ids(panel) if task in unscorable)),
    )


def sample_name(samples: tuple[Sample, ...]) -> str:
    return ", ".join(dict.fromkeys(sample.name for sample in samples))


def sample_digest(samples: list[Sample]) -> str:
    """Return the digest of a panel's ids: the sample's own where all replicates share one."""
    digests = [sample.ids_digest for sample in samples]
    return digests[0] if len(set(digests)) == 1 else digest_of(digests)


def limits_kind(panel: ResolvedPanel) -> str:
    """Return how the sandboxes of a panel's tasks limit what a program takes on this machine."""
    first = panel.suite.tasks(panel.samples[0].ids[:1])[0]
    return environment_limits(panel.suite.environment(first))


def environment_limits(environment: BubblewrapEnvironment | DockerEnvironment) -> str:
    from arena.execute.sandboxes import cgroups

    return cgroups.limits_kind() if environment.kind == "bubblewrap" else environment.kind


def replicate_tasks(panel: ResolvedPanel, unscorable: Mapping[str, str]) -> tuple[tuple[SuiteTask, ...], ...]:
    """Return the tasks of each replicate, in the order in which they are run."""
    return tuple(tuple(panel.suite.tasks(sample.without(unscorable).ids)) for sample in panel.samples)
