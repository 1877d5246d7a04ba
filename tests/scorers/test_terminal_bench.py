"""What an agent may leave behind, and what the verifier makes of it; every hostile one has not solved the task."""

import math
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from arena.errors import ScoreError
from arena.execute.sandboxes.open import open_sandbox, probe
from arena.suites.mini_terminal import suite
from arena.suites.terminal_task import TaskFile
from scorers.terminal_bench import GRADER_VERSION, SCORE_DEFINITION, Outcome, grade, scorer, to_score
from scorers.terminal_verifier import Verifier, verifier_user

SOURCE = suite()
(TASK,) = SOURCE.tasks(["word-count"])

JUDGE = """
echo judging
if [ "$(cat /app/answer)" = 42 ] && python3 -c 'import unittest' && [ -f /tests/extra ]; then echo 1; else echo 0; fi \
  >/logs/verifier/reward.txt
"""
SOLUTION = "echo 42 >answer"


def verifier(script: str = JUDGE, timeout_s: float = 20) -> Verifier:
    return Verifier({"test.sh": TaskFile(script.encode()), "extra": TaskFile(b"")}, timeout_s, {})


class Place:
    """A sandbox for one agent."""

    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox

    async def work(self, script: str) -> None:
        await self.sandbox.exec(["bash", "-c", script], cwd="/app", timeout=30)

    async def graded(self, given: Verifier | None = None, solution: str | None = SOLUTION) -> Outcome:
        environment = SOURCE.environment(TASK)
        return await grade(self.sandbox, "/app", given or verifier(), solution, lambda: open_sandbox(environment))


@pytest.fixture(scope="module")
def _sandboxes_work() -> None:
    if not (tried := probe()).works:
        pytest.skip(f"no sandbox here: {tried.reason}")


@pytest.fixture
async def place(
    _sandboxes_work: None, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    async with open_sandbox(SOURCE.environment(TASK)) as sandbox:
        yield Place(sandbox)


async def test_work_that_is_right_passes(place: Place) -> None:
    await place.work(SOLUTION)
    outcome = await place.graded()

    assert (outcome.grade, outcome.reason, outcome.reward) == ("pass", None, 1.0)
    assert outcome.run
    assert outcome.run.log == "judging\n"


FORGE = "mkdir -p /logs/verifier; echo 1 >/logs/verifier/reward.txt; echo '{\"reward\": 1}' >/logs/verifier/reward.json"

HOSTILE = {
    "nothing": "true",
    "a forged reward": FORGE,
    "a forged reward that may not be written": f"{FORGE}; chmod -R a-w /logs /logs/verifier",
    "a forged reward out of reach": f"{FORGE}; chmod 000 /logs/verifier; chmod 000 /logs",
    "a reward elsewhere": "mkdir -p e; echo '{\"reward\": 1}' >e/reward.json; ln -s /app/e /logs/verifier",
    "a folder for a reward": "mkdir -p /logs/verifier/reward.txt/x /logs/verifier/test-stdout.txt",
    "a changed test.sh": "echo 'echo 1 >/logs/verifier/reward.txt' >/tests/test.sh; chmod -R 555 /tests",
    "a test.sh that leads elsewhere": "echo 'echo 1 >/logs/verifier/reward.txt' >x; ln -s /app/x /tests/test.sh",
    "tests out of reach": "mkdir -p /tests/test.sh/deep; chmod -R 000 /tests",
    "shims on the path": """
        for folder in ~/bin ~/.local/bin /app /tmp /usr/local/bin /opt/testenv/bin; do
          mkdir -p $folder
          for name in python3 python bash cat tar head find chmod true sh env; do
            printf '#!/bin/sh\\necho 42; echo 1 >/logs/verifier/reward.txt; exit 0\\n' >$folder/$name
            chmod +x $folder/$name
          done
        done 2>/dev/null
        for file in ~/.bashrc ~/.profile ~/.bash_profile ~/.bash_login; do echo 'PATH=/app:$PATH' >$file; done""",
    "an end before the end": """
        for file in ~/.bashrc ~/.profile ~/.bash_profile ~/.bash_env /app/.bashrc; do
          echo 'mkdir -p /logs/verifier; echo 1 >/logs/verifier/reward.txt; exit 0' >$file; done
        export BASH_ENV=~/.bash_env; exit 0""",
    "a python that ends at once": """
        code='import os; open("/logs/verifier/reward.json", "w").write("{\\"reward\\": 1}"); os._exit(0)'
        site=$(python3 -c 'import site; print(site.getusersitepackages())'); mkdir -p "$site"
        for file in sitecustomize usercustomize unittest os; do
          echo "$code" >/app/$file.py; echo "$code" >"$site/$file.py"; echo "import unittest" >"$site/x.pth"; done""",
    "a process that goes on writing": f"(while :; do {FORGE}; done) >/dev/null 2>&1 &",
    "one that hides": f"""
        cat >/tmp/w.py <<'END'
import ctypes, os, time
ctypes.CDLL(None).prctl(4, 0)
os.setsid()
while True:
    os.system('''{FORGE}''')
    time.sleep(0.01)
END
        python3 /tmp/w.py >/dev/null 2>&1 & sleep 0.5""",
    "a crowd of processes": "f() { f | f & }; f >/dev/null 2>&1 & sleep 1",
    "one that stops whatever it sees": """
        (while :; do for p in /proc/[0-9]*; do kill -STOP ${p#/proc/}; done; done) >/dev/null 2>&1 &""",
}  # fmt: skip


@pytest.mark.parametrize("script", HOSTILE.values(), ids=HOSTILE)
async def test_what_is_not_the_work_gains_nothing(place: Place, script: str) -> None:
    await place.work(script)
    outcome = await place.graded()

    assert (outcome.grade, outcome.reason) == ("fail", "tests_failed"), outcome


@pytest.mark.parametrize("script", HOSTILE.values(), ids=HOSTILE)
async def test_nor_does_it_cost_work_that_is_right(place: Place, script: str) -> None:
    await place.work(f"{SOLUTION}\n{script}")
    outcome = await place.graded(verifier(JUDGE.replace("python3 -c", "python3 -I -c")))

    assert outcome.grade == "pass", outcome


@pytest.mark.parametrize(
    "script", ["dd if=/dev/zero of=/app/all bs=1M count=200", "for i in {1..250000}; do : >/tmp/$i; done"]
)
async def test_a_sandbox_that_was_made_useless_fails_and_is_not_tried_again(place: Place, script: str) -> None:
    await place.sandbox.exec(["bash", "-c", f"{SOLUTION}; {script}"], cwd="/app", timeout=60)
    outcome = await place.graded()

    assert (outcome.grade, outcome.reason) == ("fail", "tests_did_not_run"), outcome


async def test_a_program_that_a_test_runs_as_the_agent_cannot_reach_the_reward(place: Place) -> None:
    if await verifier_user(place.sandbox) is None:
        pytest.skip("this sandbox has one user, so the verifier has no other")
    (task,) = SOURCE.tasks(["broken-backup-script"])
    held = SOURCE.task("broken-backup-script")
    await place.work("mkdir -p etc/sites; cat >backup.sh <<'END'\n"
                     "set +e\n"
                     "echo 4 files\n"
                     "printf 'import sys\\nsys.exit(0)\\n' >/tests/test_outputs.py\n"
                     "printf 'echo 1 >/logs/verifier/reward.txt\\nexit\\n' >>/tests/test.sh\n"
                     "kill -9 -1\n"
                     f"(setsid bash -c 'while :; do {FORGE}; done' >/dev/null 2>&1 &)\n"
                     "END\n")  # fmt: skip
    outcome = await place.graded(Verifier(held.tests, 30, {}), task.solution)

    assert (outcome.grade, outcome.reason) == ("fail", "tests_failed"), outcome


async def test_the_verifiers_home_is_not_the_agents(place: Place) -> None:
    await place.work("touch ~/.gitconfig ~/.mark")
    script = "[ -d ~ ] && [ ! -e ~/.mark ] && touch ~/mine && echo 1 >/logs/verifier/reward.txt"

    assert (await place.graded(verifier(script))).grade == "pass"


async def test_a_verifier_out_of_time_says_nothing_of_the_work(place: Place) -> None:
    outcome = await place.graded(verifier("echo 1 >/logs/verifier/reward.txt; sleep 60", timeout_s=1))

    assert (outcome.grade, outcome.reason, outcome.reward) == ("unscored", "verifier_timeout", None)


@pytest.mark.parametrize("said", ["echo seven >/logs/verifier/reward.txt", "echo 7 >/logs/verifier/reward.txt",
                                  "echo '{' >/logs/verifier/reward.json; echo 1 >/logs/verifier/reward.txt",
                                  "mkdir /logs/verifier/reward.txt",
                                  "ln -s /nowhere /logs/verifier/reward.txt",
                                  "head -c 1000000 /dev/zero >/logs/verifier/reward.txt"])  # fmt: skip
async def test_a_reward_that_is_none_says_nothing_of_the_work(place: Place, said: str) -> None:
    outcome = await place.graded(verifier(said))

    assert (outcome.grade, outcome.reason) == ("unscored", "reward_unreadable"), outcome


async def test_a_part_of_the_reward_is_kept_and_fails(place: Place) -> None:
    outcome = await place.graded(
        verifier("cd /logs/verifier; echo '{\"reward\": 0.75}' >reward.json; echo 1 >reward.txt")
    )

    assert (outcome.grade, outcome.reason, outcome.reward) == ("fail", "tests_failed", 0.75)


SPOILT = "[ -e /app/spoilt ] || echo 1 >/logs/verifier/reward.txt; exit 3"


async def test_without_a_reward_the_work_fails_where_the_solution_gets_one(place: Place) -> None:
    await place.work("touch spoilt")
    outcome = await place.graded(verifier(SPOILT))

    assert (outcome.grade, outcome.reason) == ("fail", "tests_did_not_run")
    assert "exit code 3" in outcome.detail


@pytest.mark.parametrize("solution", ["touch spoilt", None])
async def test_without_a_reward_nothing_is_said_where_the_solution_gets_none_either(
    place: Place, solution: str | None
) -> None:
    await place.work("touch spoilt")
    outcome = await place.graded(verifier(SPOILT), solution)

    assert (outcome.grade, outcome.reason) == ("unscored", "environment")


async def test_a_sandbox_that_is_gone_is_unscored(place: Place) -> None:
    await place.sandbox.close()
    outcome = await place.graded()

    assert (outcome.grade, outcome.reason) == ("unscored", "sandbox_error")


async def test_the_digest_is_of_what_the_agent_left(place: Place) -> None:
    first = (await place.graded()).state
    assert first == (await place.graded()).state
    await place.work("chmod 600 texts/one.txt")
    second = (await place.graded()).state
    await place.work("echo more >>texts/one.txt")
    third = (await place.graded()).state

    assert len({first, second, third, None}) == 4


async def test_the_verifier_is_given_its_own_variables(place: Place) -> None:
    asked = replace(verifier('echo "$REWARD" >/logs/verifier/reward.txt'), env={"REWARD": "1"})
    assert (await place.graded(asked)).grade == "pass"


def test_a_score_says_all_that_records_want() -> None:
    score = to_score(Outcome("fail", "tests_failed", "reward 0.5", 0.5, None, "sha256:x", "rlimit"))

    assert score.value == "I"
    assert score.metadata == {
        "grade": "fail",
        "reason": "tests_failed",
        "detail": "reward 0.5",
        "reward": 0.5,
        "patch_digest": "sha256:x",
        "grader_version": GRADER_VERSION,
        "score_definition": SCORE_DEFINITION,
        "exit_code": None,
        "verifier_user": None,
        "limits_kind": "rlimit",
        "log": None,
    }
    assert SOURCE.score_definition == SCORE_DEFINITION


def test_an_unscored_score_is_no_number() -> None:
    score = to_score(Outcome("unscored", "verifier_timeout", "late"))
    assert math.isnan(score.as_float())
    assert score.explanation == "verifier_timeout: late"


@pytest.mark.parametrize(
    ("given", "said"), [({"timeout": 3}, "did you mean 'timeout_s'"), ({"timeout_s": 0}, "timeout_s: .* got 0")]
)
def test_a_parameter_that_is_none_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ScoreError, match=said):
        scorer(**given)
