from pathlib import Path

import pytest

from arena.spec.cell import load_cell
from arena.spec.check import check_cell
from arena.spec.goal import load_goal
from arena.spec.study import load_study

CELLS = Path(__file__).resolve().parents[3] / "cells"


def files(pattern: str) -> list[Path]:
    return sorted(CELLS.glob(pattern))


@pytest.mark.parametrize("path", files("*.yaml"), ids=lambda path: path.name)
def test_every_cell_is_valid_is_named_as_its_file_and_names_a_goal_that_is_there(path: Path) -> None:
    loaded = load_cell(path)
    assert loaded.cell.cell == path.stem
    assert load_goal(CELLS / "goals" / f"{loaded.cell.goal}.md").name == loaded.cell.goal


@pytest.mark.parametrize("path", files("demo*.yaml"), ids=lambda path: path.name)
def test_every_demo_cell_passes_the_static_check(path: Path) -> None:
    assert [str(problem) for problem in check_cell(load_cell(path))] == []


def test_the_paper_scale_cell_lacks_only_what_a_group_brings_itself() -> None:
    found = check_cell(load_cell(CELLS / "paper-scale.yaml"))
    assert [problem.path for problem in found] == [("model", "revision"), ("recipe", "with", "data")]


@pytest.mark.parametrize("path", files("goals/*.md"), ids=lambda path: path.name)
def test_every_goal_is_valid_and_says_what_it_asks(path: Path) -> None:
    goal = load_goal(path)
    assert goal.text.startswith(f"# Goal {path.stem}: ")


def test_distillation_is_what_sets_goal_v5_apart() -> None:
    v2, v5 = (load_goal(CELLS / "goals" / f"{name}.md").rules for name in ("v2", "v5"))
    assert (v2.distillation, v5.distillation) == ("forbidden", "allowed")
    assert v2.model_copy(update={"distillation": "allowed"}) == v5


@pytest.mark.parametrize("path", files("studies/*.yaml"), ids=lambda path: path.name)
def test_every_study_is_valid_and_so_are_its_cells(path: Path) -> None:
    assert load_study(path).cells
