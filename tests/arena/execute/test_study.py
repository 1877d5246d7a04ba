from pathlib import Path

import pytest

from arena.errors import CellError
from arena.execute.study import in_order
from arena.spec.cell import LoadedCell, load_cell

BASE = """
cell: {name}
goal: any
model: {model}
evaluate: [{{suite: mini_swe}}]
"""


def cell(folder: Path, name: str, start: str | None = None) -> LoadedCell:
    model = f"{{from: {{cell: {start}, checkpoint: final}}}}" if start else f'{{base: b, revision: "{"0" * 40}"}}'
    path = folder / f"{name}.yaml"
    path.write_text(BASE.format(name=name, model=model))
    return load_cell(path)


def test_a_cell_that_another_starts_from_runs_before_it(tmp_path: Path):
    second = cell(tmp_path, "second", "first")
    third = cell(tmp_path, "third", "second")
    first = cell(tmp_path, "first")
    assert [one.cell.cell for one in in_order([third, second, first])] == ["first", "second", "third"]


def test_cells_that_need_none_of_the_others_keep_their_order(tmp_path: Path):
    cells = [cell(tmp_path, name) for name in ("b", "a", "c")]
    assert [one.cell.cell for one in in_order(cells)] == ["b", "a", "c"]


def test_cells_that_start_from_each_other_are_refused_with_the_circle(tmp_path: Path):
    with pytest.raises(CellError, match=r"start from each other: .*a.*->.*b"):
        in_order([cell(tmp_path, "a", "b"), cell(tmp_path, "b", "a")])
