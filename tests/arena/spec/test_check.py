from pathlib import Path

from arena.spec.cell import load_cell
from arena.spec.check import check_cell, named_plugins

GOAL = "---\ndistillation: {}\ngpus_max: 4\nhours_max: 10\nbases: ['arena/*']\ndata: ['*.jsonl']\n---\nBe better.\n"
CELL = """\
cell: mine
goal: v2
model: {base: arena/tiny-coder, revision: 0123456789abcdef0123456789abcdef01234567}
budget: {gpus: 1, hours: 10}
recipe: {with: {data: data.jsonl}}
evaluate: [{suite: mini_swe}]
"""


def problems(folder: Path, text: str = CELL, distillation: str = "forbidden") -> list[str]:
    (folder / "goals").mkdir(exist_ok=True)
    (folder / "goals" / "v2.md").write_text(GOAL.format(distillation))
    (folder / "pyproject.toml").write_text("")
    (folder / "data.jsonl").write_text("")
    path = folder / "mine.yaml"
    path.write_text(text)
    return [str(problem).removeprefix(f"{path}:") for problem in check_cell(load_cell(path))]


def test_a_cell_that_keeps_its_goals_rules_passes(tmp_path: Path) -> None:
    assert problems(tmp_path) == []


def test_every_broken_rule_is_said_in_its_line(tmp_path: Path) -> None:
    text = """\
cell: mine
goal: v2
model: {base: other/model, revision: 0123456789abcdef0123456789abcdef01234567}
budget:
  gpus: 8
  hours: 100
recipe:
  teacher: big/model
  trainer: yaml:safe_load
  with: {data: data.csv}
evaluate: [{suite: mini_swe}]
"""
    assert problems(tmp_path, text) == [
        "8: recipe.teacher: goal v2 forbids distillation, got the teacher 'big/model'",
        "5: budget.gpus: goal v2 allows at most 4 GPUs, got 8",
        "6: budget.hours: goal v2 allows at most 10 hours, got 100",
        "3: model.base: goal v2 allows the base models arena/*, got 'other/model'",
        "10: recipe.with.data: goal v2 allows the data *.jsonl, got 'data.csv'",
        f"10: recipe.with.data: no such file, got 'data.csv'; looked for {tmp_path / 'data.csv'}",
    ]
    allowed = problems(tmp_path, text, "allowed")
    assert not [line for line in allowed if "distillation" in line]


def test_a_goal_that_is_not_there_is_said(tmp_path: Path) -> None:
    text = CELL.replace("goal: v2", "goal: v9").replace("recipe:", "recipe: {trainer: 'yaml:safe_load'}\n#")
    (line,) = problems(tmp_path, text)
    assert line.startswith("2: goal: the goal 'v9' is not there: no v9.md in ")


def test_plugins_and_own_suites_that_cannot_be_imported_are_said_in_their_lines(tmp_path: Path) -> None:
    text = CELL.replace("evaluate: [{suite: mini_swe}]", "evaluate:\n  - suite: own_suites:make\n")
    harness = "harness: {solver: 'solvers.rect:solver', plugins: ['nowhere:plugin']}"
    text = text.replace("recipe:", f"recipe: {{trainer: 'solvers.react:train'}}\n{harness}\n#")
    found = problems(tmp_path, text)
    assert [line.split(": ")[:2] for line in found] == [
        ["5", "recipe.trainer"],
        ["6", "harness.solver"],
        ["6", "harness.plugins[0]"],
        ["9", "evaluate[0].suite"],
    ]
    assert found[1].endswith("did you mean 'solvers.react'?")


def test_a_placeholder_is_no_revision(tmp_path: Path) -> None:
    text = CELL.replace("0123456789abcdef0123456789abcdef01234567", f"'{'0' * 40}'")
    text = text.replace("recipe:", "recipe: {trainer: 'yaml:safe_load'}\n#")
    (line,) = problems(tmp_path, text)
    what = "give the commit or the digest of the weights that you have"
    assert line == f"3: model.revision: a placeholder, got '{'0' * 40}'; {what}"


def test_a_model_that_leads_back_to_its_own_cell_or_nowhere_is_refused(tmp_path: Path) -> None:
    text = CELL.replace(
        "{base: arena/tiny-coder, revision: 0123456789abcdef0123456789abcdef01234567}",
        "{from: {cell: other, checkpoint: final}}",
    ).replace("recipe:", "recipe: {trainer: 'yaml:safe_load'}\n#")
    (line,) = problems(tmp_path, text)
    assert line.startswith("3: model.from.cell: the cell 'other' is not there: no other.yaml in ")
    other = text.replace("cell: mine", "cell: other").replace("{cell: other,", "{cell: mine,")
    (tmp_path / "other.yaml").write_text(other)
    assert problems(tmp_path, text) == ["3: model.from.cell: a cell cannot start from itself: mine → other → mine"]


def test_plugins_are_found_among_parameters_too_and_images_are_none(tmp_path: Path) -> None:
    text = CELL.replace("{data: data.jsonl}", "{data: {generator: 'trainers.none:train'}, image: 'ubuntu:latest'}")
    text += "serve: {engine: scripted, args: {scripts: ['solvers.react:nothing', 3]}}\n"
    (line,) = problems(tmp_path, text)
    assert line.startswith("7: serve.args.scripts[0]: solvers.react:nothing: no function 'nothing' in ")
    named = named_plugins(load_cell(tmp_path / "mine.yaml"))
    assert named["recipe", "with", "data", "generator"] == "trainers.none:train"
    assert ("recipe", "with", "image") not in named
