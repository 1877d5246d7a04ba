"""Every task, worked on in a real sandbox: its solution passes, doing nothing does not, nor does a near miss."""

import gc
import shlex

import pytest

from arena.execute.attest import attest
from arena.execute.progress import SilentProgress
from arena.execute.sandboxes.open import open_sandbox, probe
from arena.execute.stopping import Stopping
from arena.records.store import Store
from arena.suites.mini_terminal import suite
from scorers.terminal_bench import grade, verifier_of

# Inspect leaves streams of its own unclosed
pytestmark = pytest.mark.filterwarnings("ignore:.*MemoryObject:pytest.PytestUnraisableExceptionWarning")

NEAR_MISSES = {
    "access-log-report": ('path.split("?")[0]', "path"),
    "broken-backup-script": ("exit 2", "exit 1"),
    "damaged-archive": ("mkdir -p recovered", "mkdir -p recovered; touch recovered/notes"),
    "duplicate-files": ("if content and", "if"),
    "layered-settings": ('key=lambda path: int(re.match(r"\\d+", path.name)[0])', "key=str"),
    "lost-suppliers": ("$deleted^:suppliers.txt", "$deleted~3:suppliers.txt"),
    "orders-to-json": ("sorted(orders)]", "orders]"),
    "site-permissions": ("chmod 2770", "chmod 0770"),
    "word-count": ("LC_ALL=C sort -k1,1nr -k2,2", "sort -k1,1nr -k2,2r"),
    "zipped-program": ('cd "$(dirname "${BASH_SOURCE[0]}")"', ":"),
}


@pytest.fixture(autouse=True)
def _sandboxes(tmp_path_factory, monkeypatch):
    if not (tried := probe()).works:
        pytest.skip(f"no sandbox here: {tried.reason}")
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.mark.slow
def test_every_solution_passes_and_doing_nothing_never_does(tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    source = suite()
    tasks = source.tasks(source.ids())

    found = attest(source, tasks, "this-scorer", Store(tmp_path / "store"), Stopping(), SilentProgress())
    gc.collect()

    assert found.unscorable == {}
    assert list(found.attested) == source.ids()


def test_there_is_a_near_miss_of_every_task():
    assert sorted(NEAR_MISSES) == suite().ids()


@pytest.mark.parametrize("name", sorted(NEAR_MISSES))
async def test_a_near_miss_fails(name):
    right, wrong = NEAR_MISSES[name]
    (task,) = suite().tasks([name])
    assert task.solution.count(right) == 1
    environment = suite().environment(task)

    async with open_sandbox(environment) as sandbox:
        worked = await sandbox.exec(["bash", "-c", task.solution.replace(right, wrong)], cwd=task.workdir)
        outcome = await grade(
            sandbox, task.workdir, verifier_of(task.grading), task.solution, lambda: open_sandbox(environment)
        )

    assert (outcome.grade, outcome.reason) == ("fail", "tests_failed"), (shlex.join(worked.stderr.split()), outcome)
