"""Refuses to train on what a suite asks: no issue, patch or test of it may stand in a training row."""

from collections.abc import Mapping, Sequence

from arena.errors import TrainError
from arena.suites.load import load_suite
from trainers.tasks import chat
from trainers.tasks.overlap import overlap

SECRET = ("patch", "test_patch")


def refuse_overlap(talks: Sequence[chat.Messages], suites: Sequence[str]) -> None:
    """Raise `TrainError` where training rows share a run of words with a suite."""
    for name in suites:
        shared = overlap(talks, suite_texts(name))
        if shared:
            first = shared[0]
            rows = len({each.row for each in shared})
            raise TrainError(
                f"recipe.with.disjoint_from: {rows} of {len(talks)} training rows share text with {name}; row "
                f"{first.row + 1} has of {first.text}: {first.words!r}; leave those rows out"
            )


def suite_texts(name: str) -> Mapping[str, str]:
    """Return every issue, patch and test patch of a suite, by task."""
    suite = load_suite(name)
    texts = {}
    for task in suite.tasks(suite.ids()):
        texts[f"{task.id} (issue)"] = task.prompt
        texts |= {f"{task.id} ({part})": str(task.grading[part]) for part in SECRET if part in task.grading}
    return texts
