# ruff: noqa: E501 - a mistake and the whole message that it earns stand in one line
from pathlib import Path

import pytest

from arena.errors import CellError
from arena.spec.study import LoadedStudy, Stop, load_study

BASE = """\
cell: base
goal: v5
model: {base: arena/tiny-coder, revision: 0123456789abcdef0123456789abcdef01234567}
budget: {hours: 1}
evaluate: [{suite: mini_swe, sample: demo, replicates: 2}]
claims: [{id: own, treatment: base, comparator: other, suite: mini_swe}]
"""
GRID = """\
study: demo
cells: [base]
grid:
  base: base
  name: demo-{weights}-{harness}
  axes:
    weights:
      plain: {}
      sft: {recipe: {trainer: "trainers.sft:train", with: {data: data/x.jsonl}}}
    harness:
      react: {}
      workdir: {harness: {plugins: ["solvers.workdir:plugin"]}}
claims:
  - {id: training, treatment: demo-sft-react, comparator: demo-plain-react, suite: mini_swe, factor: recipe}
  - {id: plugin, treatment: demo-plain-workdir, comparator: demo-plain-react, suite: mini_swe}
stop: {when: decided, e_value: 20}
"""


def load(folder: Path, study: str = GRID, base: str = BASE) -> LoadedStudy:
    (folder / "studies").mkdir(exist_ok=True)
    (folder / "base.yaml").write_text(base)
    (folder / "studies" / "demo.yaml").write_text(study)
    return load_study(folder / "studies" / "demo.yaml")


def refused(folder: Path, study: str, base: str = BASE) -> list[str]:
    with pytest.raises(CellError) as error:
        load(folder, study, base)
    return [line.removeprefix(f"{folder}/") for line in str(error.value).splitlines()]


def test_a_grid_spans_all_combinations_beside_the_listed_cells(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    cells = {one.cell.cell: one.cell for one in loaded.cells}
    names = ["base", "demo-plain-react", "demo-plain-workdir", "demo-sft-react", "demo-sft-workdir"]
    assert list(cells) == names
    assert cells["demo-sft-workdir"].recipe.trainer == "trainers.sft:train"
    assert cells["demo-sft-workdir"].harness.plugins == ("solvers.workdir:plugin",)
    assert cells["demo-plain-react"].declared() == cells["base"].declared()
    assert cells["demo-sft-react"].claims == ()
    assert loaded.study.stop == Stop(when="decided", e_value=20.0)
    assert [claim.family for claim in loaded.study.claims] == ["main", "main"]


def test_a_grids_cell_stands_in_the_study_and_its_inherited_values_in_the_base(tmp_path: Path) -> None:
    sft = load(tmp_path).cells[3]
    assert sft.path == tmp_path / "studies" / "demo.yaml"
    assert sft.data == tmp_path / "studies" / "data" / "x.jsonl"
    assert sft.document.place(("recipe", "trainer")).line == 9
    assert sft.document.place(("goal",)).file == tmp_path / "base.yaml"


def test_a_grid_without_a_name_joins_its_labels(tmp_path: Path) -> None:
    study = "study: s\ngrid: {base: ../base.yaml, axes: {a: {x: {}, y: {}}, b: {one: {}}}}\n"
    assert [one.cell.cell for one in load(tmp_path, study).cells] == ["x-one", "y-one"]


@pytest.mark.parametrize(
    ("old", "new", "messages"),
    [
        ("cells: [base]", "cells: [base, basis]", ["studies/demo.yaml:2: cells[1]: the cell 'basis' is not there: no basis.yaml in {folder}/studies or above, nor in a folder cells/ of these"]),
        ("cells: [base]", "cells: [base, base]", ["studies/demo.yaml:2: cells[1]: the cell 'base' is in the study already; name it once"]),
        ("cells: [base]", "cells: [base, ../no.yaml]", ["studies/demo.yaml:2: cells[1]: {folder}/studies/../no.yaml: no such file"]),
        ("recipe: {trainer", "recipe: {trainr", ["studies/demo.yaml:9: recipe.trainr: unknown key, got 'trainers.sft:train'; did you mean 'trainer'?"]),
        ("treatment: demo-sft-react", "treatment: demo-sft-raect", ["studies/demo.yaml:14: claims[0].treatment: no such cell in this study, got 'demo-sft-raect'; did you mean 'demo-sft-react'?"]),
        ("suite: mini_swe}", "suite: mini_sew}", ["studies/demo.yaml:15: claims[1].suite: the cell 'demo-plain-workdir' is not evaluated on 'mini_sew'; did you mean 'mini_swe'?", "studies/demo.yaml:15: claims[1].suite: the cell 'demo-plain-react' is not evaluated on 'mini_sew'; did you mean 'mini_swe'?"]),
        ("id: plugin", "id: training", ["studies/demo.yaml:15: claims[1].id: the claim 'training' stands twice; give one of them another id"]),
        ("suite: mini_swe}", "suite: mini_swe, correction: bh}", ["studies/demo.yaml:15: claims[1].correction: the family 'main' has correction holm in claim 'training', got bh; one for all"]),
        ("suite: mini_swe}", "suite: mini_swe, direction: equivalent}", ["studies/demo.yaml:15: claims[1].margin: an equivalence needs a margin above 0, got 0; say how small a difference is none"]),
        ("name: demo-{weights}-{harness}", "name: demo-{weights}-{harnes}", ["studies/demo.yaml:5: grid.name: no axis 'harnes'; did you mean 'harness'?"]),
        ("name: demo-{weights}-{harness}", "name: demo-{weights}", ["studies/demo.yaml:5: grid.name: cells would share a name: {{harness}} is not in 'demo-{{weights}}'"]),
        ("plain: {}", "plain: {cell: x}", ["studies/demo.yaml:8: grid.axes.weights.plain.cell: a grid names its cells by their labels, and claims stand in the study; remove this key"]),
        ("e_value: 20", "e_value: 1", ["studies/demo.yaml:16: stop.e_value: expected a number greater than 1, got 1"]),
        ("when: decided", "when: decide", ["studies/demo.yaml:16: stop.when: expected 'decided', got 'decide'; did you mean 'decided'?"]),
        ("study: demo", "studi: demo", ["studies/demo.yaml:1: studi: unknown key, got 'demo'; did you mean 'study'?"]),
    ],
)  # fmt: skip
def test_a_mistake_in_a_study_is_named_in_its_line(tmp_path: Path, old: str, new: str, messages: list[str]) -> None:
    position = GRID.rindex(old)
    study = GRID[:position] + new + GRID[position + len(old) :]
    assert refused(tmp_path, study) == [message.format(folder=tmp_path) for message in messages]


def test_a_study_needs_cells(tmp_path: Path) -> None:
    assert refused(tmp_path, "study: s\n") == ["studies/demo.yaml:1: study: a study needs `cells`, `grid` or both"]
    empty = refused(tmp_path, "study: s\ngrid: {base: base, axes: {}}\n")
    assert empty == ["studies/demo.yaml:2: grid.axes: a grid needs at least one axis, got none"]


def test_a_mistake_in_the_base_is_said_once_for_all_of_its_combinations(tmp_path: Path) -> None:
    wrong = BASE.replace("goal: v5", "gaol: v5")
    assert refused(tmp_path, GRID, wrong) == ["base.yaml:2: gaol: unknown key, got 'v5'; did you mean 'goal'?"]


def test_a_file_whose_cell_has_another_name_is_refused(tmp_path: Path) -> None:
    renamed = BASE.replace("cell: base", "cell: basis").replace("treatment: base", "treatment: basis")
    message = "the cell 'basis'; its file and its name must agree"
    assert all(line.endswith(message) for line in refused(tmp_path, GRID, renamed))
