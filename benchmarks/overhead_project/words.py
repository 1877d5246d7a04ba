"""A suite whose tasks cost next to nothing, so that what is measured is what runs them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena.execute.serving.scripted import Call, Reply, Turn
from arena.suites.environment import BubblewrapEnvironment
from arena.suites.suite import SuiteTask

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer

EPISODES = 200


class Words:
    name = "words"
    scorer = "words:scorer"
    score_definition = "resolved/scored"

    def digest(self) -> str:
        return hashlib.sha256(b"words").hexdigest()

    def ids(self) -> Sequence[str]:
        return [f"w{number:03d}" for number in range(EPISODES)]

    def samples(self) -> Mapping[str, Sequence[str]]:
        return {}

    def tasks(self, ids: Sequence[str]) -> Sequence[SuiteTask]:
        return [
            SuiteTask(
                one, f"write {one}", "/workspace", "words", "1", solution=f"echo {one} > word", grading={"word": one}
            )
            for one in ids
        ]

    def environment(self, task: SuiteTask) -> BubblewrapEnvironment:
        return BubblewrapEnvironment(disk_mb=16, memory_mb=256)

    grading_environment = environment


def suite() -> Words:
    return Words()


def scorer() -> "Scorer":
    from inspect_ai.scorer import Score, Target, mean, scorer
    from inspect_ai.solver import TaskState
    from inspect_ai.util import sandbox

    @scorer(metrics=[mean()])
    def words() -> "Scorer":
        async def score(state: TaskState, target: Target) -> Score:
            found = await sandbox().exec(["cat", "/workspace/word"])
            passed = found.stdout.strip() == state.metadata["grading"]["word"]
            said = {"grade": "pass" if passed else "fail", "reason": None if passed else "tests_failed"}
            return Score(value="C" if passed else "I", metadata={**said, "grader_version": "words 1"})

        return score

    return words()


def script(turn: Turn) -> Reply:
    if turn.number < 4:
        return Reply(calls=(Call("bash", {"command": f"echo {turn.episode.task} > /workspace/word; ls -la /usr"}),))
    return Reply(calls=(Call("submit", {"answer": ""}),))
