"""The same episodes as a plain Inspect task: `inspect eval alone.py`."""

from pathlib import Path

import words
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from arena.execute.agent import build_harness, episode_solver, task_limits
from arena.execute.sandboxes.open import sandbox_spec
from arena.execute.serving import scripted
from arena.execute.serving.serving import ServeSpec


@task
def alone() -> Task:
    suite = words.suite()
    samples = [
        Sample(
            id=one.id,
            input=one.prompt,
            sandbox=sandbox_spec(suite.environment(one)),
            metadata={
                "suite": suite.name,
                "task_folder": one.workdir,
                "replicate": 1,
                "attempt": 1,
                "grading": dict(one.grading),
            },
        )
        for one in suite.tasks(suite.ids())
    ]
    harness = build_harness("solvers.react:solver", {})
    spec = ServeSpec(Path(), None, (), "none", arguments={"script": "words:script"})
    with scripted.start(spec) as served:
        model = served.model(None)
    return Task(
        MemoryDataset(samples),
        solver=episode_solver(harness),
        scorer=words.scorer(),
        model=model,
        **task_limits(harness),
    )
