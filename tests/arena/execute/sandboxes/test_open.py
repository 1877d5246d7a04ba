"""Sandboxes as the rest of the arena and Inspect itself see them."""

import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import SandboxEnvironmentSpec, sandbox

from arena.errors import SandboxError
from arena.execute.sandboxes.open import open_sandbox, probe, sandbox_spec
from arena.suites.environment import BubblewrapEnvironment, DockerEnvironment, HostTree

DOCKER = DockerEnvironment(image="python@sha256:0")


def test_a_probe_tries_a_real_sandbox() -> None:
    found = probe()
    assert found.works
    assert found.reason is None
    assert found.limits_kind in ("cgroup-v1", "cgroup-v2", "rlimit")
    assert 0 < found.seconds < 10


def test_docker_is_refused_until_it_is_here() -> None:
    with pytest.raises(SandboxError, match="docker sandboxes are not here yet"):
        sandbox_spec(DOCKER)
    with pytest.raises(SandboxError, match="docker sandboxes are not here yet"):
        open_sandbox(DOCKER)


@pytest.mark.parametrize("module", ["arena.execute.sandboxes", "arena.execute.sandboxes.open"])
def test_importing_it_loads_no_inspect(module: str) -> None:
    code = f"import sys, {module}; print('inspect_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_a_specification_can_be_hashed_and_read_back_from_a_log() -> None:
    environment = BubblewrapEnvironment(trees=(HostTree(source="/a", target="/b"),), env=(("A", "1"),))
    written = sandbox_spec(environment)
    assert hash(written) == hash(sandbox_spec(environment))
    read = SandboxEnvironmentSpec.model_validate({"type": written.type, "config": environment.model_dump(mode="json")})
    assert read.config == environment


@solver
def changes_a_file() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await sandbox().exec(["sh", "-c", "echo changed > /testbed/file.txt"])
        return state

    return solve


@scorer(metrics=[accuracy()])
def in_both(environment: BubblewrapEnvironment) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        agents = await sandbox().read_file("/testbed/file.txt")
        async with open_sandbox(environment) as fresh:
            graders = await fresh.read_file("/testbed/file.txt")
        return Score(value=(agents, graders) == ("changed\n", "original"))

    return score


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of streams that Inspect leaves open
async def test_a_sample_has_its_sandbox_and_its_scorer_a_fresh_one(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file.txt").write_text("original")
    copy = HostTree(source=str(tmp_path / "tree"), target="/testbed", mode="copy")
    environment = BubblewrapEnvironment(trees=(copy,), workdir="/testbed")
    task = Task(
        dataset=[Sample(input="change it", sandbox=sandbox_spec(environment))],
        solver=changes_a_file(),
        scorer=in_both(environment),
    )
    model = get_model("mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm", "done")])
    (log,) = await eval_async(task, model=model, log_dir=str(tmp_path / "logs"))
    assert log.status == "success"
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.error is None
    assert sample.sandbox == sandbox_spec(environment)
    assert next(iter(sample.scores.values())).value is True
