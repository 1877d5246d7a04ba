# ruff: noqa: E501 - a mistake and the whole message that it earns stand in one line
from pathlib import Path

import pytest

from arena.errors import CellError
from arena.spec.goal import GoalRules, find_goal, load_goal

TEXT = "---\ndistillation: forbidden\ngpus_max: 4\ndata: ['own-*.jsonl']\n---\n\n# Goal\n\nBe better.\n"


def write(folder: Path, text: str, name: str = "goals/v2.md") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refused(path: Path) -> str:
    with pytest.raises(CellError) as error:
        load_goal(path)
    return str(error.value)


def test_a_goal_is_rules_and_a_text(tmp_path: Path) -> None:
    goal = load_goal(write(tmp_path, TEXT))
    assert goal.name == "v2"
    assert goal.rules == GoalRules(distillation="forbidden", gpus_max=4, data=("own-*.jsonl",))
    assert (goal.rules.bases, goal.rules.hours_max) == ("any", None)
    assert goal.text == "# Goal\n\nBe better.\n"


def test_a_goals_digest_changes_with_its_text_and_its_rules_and_not_with_line_ends(tmp_path: Path) -> None:
    digest = load_goal(write(tmp_path, TEXT)).digest
    assert load_goal(write(tmp_path, TEXT.replace("\n", "\r\n"))).digest == digest
    assert load_goal(write(tmp_path, TEXT.replace("better", "bettor"))).digest != digest
    assert load_goal(write(tmp_path, TEXT.replace("gpus_max: 4", "gpus_max: 5"))).digest != digest


def test_a_goal_is_found_from_the_cells_folder_upwards(tmp_path: Path) -> None:
    path = write(tmp_path, TEXT, "cells/goals/v2.md")
    studies = tmp_path / "cells" / "studies"
    studies.mkdir()
    assert find_goal("v2", studies).path == path
    assert find_goal("v2", tmp_path / "cells").path == path
    nearer = write(tmp_path, TEXT, "cells/studies/goals/v2.md")
    assert find_goal("v2", studies).path == nearer
    with pytest.raises(CellError, match=r"the goal 'v3' is not there: no v3\.md in .* nor in a folder goals/ of these"):
        find_goal("v3", studies)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# Goal\n", "{path}:1: a goal begins with its rules between two lines of '---', got '# Goal'"),
        ("---\ndistillation: forbidden\n", "{path}:1: a goal begins with its rules between two lines of '---', got '---'"),
        ("---\n---\ntext\n", "{path}:1: distillation: missing: whether a recipe may train on another model's outputs (`recipe.teacher`)"),
        ("---\n\ndistilation: allowed\n---\ntext\n", "{path}:3: distilation: unknown key, got 'allowed'; did you mean 'distillation'?"),
        ("---\ndistillation: alowed\n---\ntext\n", "{path}:2: distillation: expected 'allowed' or 'forbidden', got 'alowed'; did you mean 'allowed'?"),
        ("---\ndistillation: allowed\ndata: all\n---\ntext\n", "{path}:3: data: expected 'any', got 'all'"),
        ("---\ndistillation: allowed\n---\n\n", "{path}:3: the goal's text is missing; it stands below the rules"),
        ("---\n- a\n---\ntext\n", "{path}:2: a goal's rules are keys and values, such as 'distillation: forbidden'"),
        ("---\na: [\n---\ntext\n", "{path}:2: not valid YAML: expected the node content, but found '<stream end>' (while parsing a flow node)"),
    ],
)  # fmt: skip
def test_a_goal_that_cannot_be_read_is_explained(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    assert refused(path) == message.format(path=path)
