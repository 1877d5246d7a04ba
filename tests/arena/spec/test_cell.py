# ruff: noqa: E501 - a mistake and the whole message that it earns stand in one line
import json
import tempfile
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from arena.errors import CellError
from arena.spec.cell import Cell, LoadedCell, PinnedModel, TrainedModel, find_cell, load_cell

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SHA256 = "sha256:" + "ab" * 32
MINIMAL = f"""\
cell: small
goal: v5
model: {{base: arena/tiny-coder, revision: {SHA256}}}
evaluate:
  - {{suite: mini_swe}}
"""
FULL = f"""\
cell: demo-sft
goal: v5
model: {{base: arena/tiny-coder, revision: {COMMIT}}}
budget: {{gpus: 4, hours: 100}}
recipe: {{trainer: "trainers.sft:train", seed: 0, with: {{epochs: 2, lora: {{r: 16}}, data: data/rewrites-v5.jsonl}}}}
package: {{stop_tokens: union, fixes: []}}
harness: {{solver: "solvers.react:solver", plugins: ["solvers.workdir:plugin"], with: {{message_limit: 60}}}}
serve: {{engine: vllm, tool_parser: qwen3_coder, max_model_len: 65536, args: {{limit-mm-per-prompt: '{{"image":0}}'}}}}
generate: {{temperature: 1.0, top_p: 1.0, max_tokens: 4096, thinking: false, strict_tools: false, seed: 0}}
evaluate:
  - {{suite: swe_bench_verified, sample: seed0-250, replicates: 2, budget: {{hours: 12}}, retries: 2}}
  - {{suite: terminal_bench_2, replicates: [{{sample: all}}, {{sample: all}}]}}
"""


def write(folder: Path, text: str, name: str = "demo.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def refused(path: Path) -> list[str]:
    with pytest.raises(CellError) as error:
        load_cell(path)
    return [line.removeprefix(f"{path}:") for line in str(error.value).splitlines()]


def test_the_designs_example_is_read_as_it_stands(tmp_path: Path) -> None:
    loaded = load_cell(write(tmp_path, FULL))
    cell = loaded.cell
    assert isinstance(cell.model, PinnedModel)
    assert (cell.budget.gpus, cell.budget.hours) == (4, 100.0)
    assert cell.recipe.parameters["lora"] == {"r": 16}
    assert cell.harness.plugins == ("solvers.workdir:plugin",)
    assert cell.serve.args == {"limit-mm-per-prompt": '{"image":0}'}
    assert [panel.samples for panel in cell.evaluate] == [("seed0-250", "seed0-250"), ("all", "all")]
    assert loaded.data == tmp_path / "data" / "rewrites-v5.jsonl"
    assert (loaded.folder, loaded.path) == (tmp_path, tmp_path / "demo.yaml")


def test_five_lines_are_a_cell_and_train_nothing(tmp_path: Path) -> None:
    cell = load_cell(write(tmp_path, MINIMAL)).cell
    assert (cell.recipe.trainer, cell.budget.gpus, cell.budget.hours) == ("trainers.none:train", 0, 0.0)
    assert (cell.harness.solver, cell.serve.engine) == ("solvers.react:solver", "embedded")
    assert cell.evaluate[0].samples == ("all",)


def test_what_is_declared_leaves_out_the_name_and_the_claims_and_is_json(tmp_path: Path) -> None:
    claim = "claims: [{id: a, treatment: small, comparator: other, suite: mini_swe}]\n"
    one = load_cell(write(tmp_path, MINIMAL)).cell.declared()
    two = load_cell(write(tmp_path, MINIMAL.replace("cell: small", "cell: other") + claim)).cell.declared()
    assert one == two == json.loads(json.dumps(one))
    assert set(one) == {"goal", "model", "budget", "recipe", "package", "harness", "serve", "generate", "evaluate"}
    assert one["recipe"] == {"trainer": "trainers.none:train", "seed": 0, "teacher": None, "with": {}}


def test_a_cell_is_frozen() -> None:
    cell = Cell.model_validate(
        {"cell": "a", "goal": "v5", "model": {"base": "b", "revision": COMMIT}, "evaluate": [{"suite": "mini_swe"}]}
    )
    with pytest.raises(ValidationError):
        cell.goal = "v2"  # type: ignore[misc]


def test_a_model_may_come_from_another_cell(tmp_path: Path) -> None:
    text = MINIMAL.replace(
        f"{{base: arena/tiny-coder, revision: {SHA256}}}", "{from: {cell: demo-sft, checkpoint: step_900}}"
    )
    model = load_cell(write(tmp_path, text)).cell.model
    assert isinstance(model, TrainedModel)
    assert (model.source.cell, model.source.checkpoint) == ("demo-sft", "step_900")


def test_every_error_of_a_file_is_said_at_once_each_in_its_line(tmp_path: Path) -> None:
    text = """\
    cell: Demo
    goal: v5
    model: {base: arena/tiny-coder, revision: main}
    budgett: {gpus: 4}
    recipe: {trainer: "trainers.none:train", seed: "0"}
    package: {stop_tokens: unoin}
    harness:
      solvr: 'solvers.react:solver'
      plugins: ["solvers.workdir"]
    serve: {engine: vlm, max_model_len: -1}
    temperature: 1
    evaluate:
      - {suite: mini_swe, sample: 3, replicates: 0, budget: {hours: 0}}
      - {suite: "a b", replicates: [{sample: all}, {smple: all}]}
    """
    assert refused(write(tmp_path, textwrap.dedent(text))) == [
        "1: cell: expected a name of a-z, 0-9, '.', '_' and '-', got 'Demo'",
        "3: model.revision: 'main' can move; give the commit's 40 hex digits, or sha256:<64 hex digits> of the weights",
        "4: budgett: unknown key, got {\"gpus\":4}; did you mean 'budget'?",
        "5: recipe.seed: expected a whole number, got '0'",
        "6: package.stop_tokens: expected 'as_is' or 'union', got 'unoin'; did you mean 'union'?",
        "8: harness.solvr: unknown key, got 'solvers.react:solver'; did you mean 'solver'?",
        "9: harness.plugins[0]: expected module:function, such as solvers.react:solver, got 'solvers.workdir'",
        "10: serve.engine: expected 'embedded', 'scripted', 'vllm' or 'openai', got 'vlm'; did you mean 'vllm'?",
        "10: serve.max_model_len: expected a number greater than 0, got -1",
        "11: temperature: unknown key, got 1; did you mean 'generate.temperature'?",
        "13: evaluate[0].sample: expected a text, got 3",
        "13: evaluate[0].replicates: expected a number greater than or equal to 1, got 0",
        "13: evaluate[0].budget.hours: expected a number greater than 0, got 0",
        "14: evaluate[1].suite: expected the name of a suite, such as mini_swe, or module:function, got 'a b'",
        "14: evaluate[1].replicates[1].smple: unknown key, got 'all'; did you mean 'sample'?",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("goal: v5\n", "", "1: goal: missing: the goal's version, such as `v5`: the file `goals/v5.md` in a folder above"),
        ("evaluate:\n  - {suite: mini_swe}\n", "evaluate: []\n", "4: evaluate: expected a list of at least one, got []"),
        ("evaluate:\n  - {suite: mini_swe}\n", "evaluate: mini_swe\n", "4: evaluate: expected a list, got 'mini_swe'"),
        ("{suite: mini_swe}", "mini_swe", "5: evaluate[0]: expected keys and values, got 'mini_swe'"),
        ("{suite: mini_swe}", "{suite: mini_swe, sample: []}", "5: evaluate[0].sample: an empty sample; list at least one task, or name a sample"),
        ("{suite: mini_swe}", "{suite: mini_swe, sample: [a, b, a]}", "5: evaluate[0].sample: task ids stand twice: a; remove one of each"),
        ("{suite: mini_swe}", "{suite: mini_swe, sample: a, replicates: [{sample: b}]}", "5: evaluate[0].sample: each replicate names its own sample, got 'a' as well; remove one of the two"),
        ("{suite: mini_swe}", "{suite: mini_swe, replicates: []}", "5: evaluate[0].replicates: expected a list of at least one, got []"),
        ("{suite: mini_swe}", "{suite: mini_swe}\n  - {suite: mini_swe}", "6: evaluate[1].suite: 'mini_swe' has a panel already; give that one more replicates, each with its sample"),
        (f"revision: {SHA256}", "revision: sha256:abc", "3: model.revision: 'sha256:abc' can move; give the commit's 40 hex digits, or sha256:<64 hex digits> of the weights"),
        (f", revision: {SHA256}", "", "3: model.revision: missing: the commit (40 hex digits), or `sha256:` and the digest of the weights; a name that can move is refused"),
        (f"revision: {SHA256}", f"revision: {SHA256}, from: {{cell: a, checkpoint: final}}", "3: model.from: has both a base and `from`; keep one (a null takes away what a parent file sets)"),
        (f"{{base: arena/tiny-coder, revision: {SHA256}}}", "{from: {cell: a, checkpoint: a/b}}", "3: model.from.checkpoint: expected submitted, final or a checkpoint's name, such as step_900, got 'a/b'"),
        (f"{{base: arena/tiny-coder, revision: {SHA256}}}", "arena/tiny-coder", "3: model: expected keys and values, got 'arena/tiny-coder'"),
        ("goal: v5\n", "goal: v5\nrecipe: {trainer: 'trainers.sft:train'}\n", "1: budget.hours: 0 hours are only for trainers.none:train, got the trainer 'trainers.sft:train'; give it time"),
        ("goal: v5\n", "goal: v5\nrecipe: {trainer: 'trainers.sft:train'}\nbudget:\n  gpus: 1\n  hours: 0\n", "6: budget.hours: 0 hours are only for trainers.none:train, got the trainer 'trainers.sft:train'; give it time"),
        ("goal: v5\n", "goal: v5\nserve: {args: 3}\n", "3: serve.args: expected keys and values, got 3"),
        ("goal: v5\n", "goal: v5\ngenerate: {thinking: yes}\n", "3: generate.thinking: expected true or false, got 'yes'"),
        ("goal: v5\n", "goal: v5\ngenerate: {top_p: 2}\n", "3: generate.top_p: expected a number less than or equal to 1, got 2"),
        ("goal: v5\n", "goal: v5\npipeline: 1\n", "3: pipeline: unknown key, got 1; there are: budget, cell, claims, evaluate, generate, goal, harness, model, package, recipe, serve"),
        ("goal: v5\n", "goal: v5\nclaims: [{id: a, treatment: x, comparator: y, suite: mini_swe}]\n", "3: claims[0]: a claim in the cell 'small' is about it, got 'x' against 'y'; claims on other cells stand in a study"),
        ("goal: v5\n", "goal: v5\nclaims: [{id: a, treatment: small, comparator: small, suite: mini_swe}]\n", "3: claims[0].comparator: treatment and comparator are the same cell, 'small'"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line_what_was_got_and_what_to_do(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in MINIMAL
    assert refused(write(tmp_path, MINIMAL.replace(old, new))) == [message]


def test_a_mistake_in_a_parent_is_named_in_the_parents_file(tmp_path: Path) -> None:
    parent = write(tmp_path, MINIMAL + "serve: {engin: vllm}\n", "base/parent.yaml")
    child = write(tmp_path, "extends: base/parent.yaml\ncell: child\ngenerate: {seeds: 1}\n")
    with pytest.raises(CellError) as error:
        load_cell(child)
    assert str(error.value).splitlines() == [
        f"{parent}:6: serve.engin: unknown key, got 'vllm'; did you mean 'engine'?",
        f"{child}:3: generate.seeds: unknown key, got 1; did you mean 'seed'?",
    ]


def test_a_child_needs_a_name_of_its_own(tmp_path: Path) -> None:
    parent = write(tmp_path, MINIMAL, "parent.yaml")
    child = write(tmp_path, "extends: parent.yaml\ngoal: v2\n")
    with pytest.raises(CellError) as error:
        load_cell(child)
    assert str(error.value) == f"{parent}:1: cell: is the parent's name; give {child} a `cell:` of its own"


def test_a_data_file_is_relative_to_the_file_that_names_it(tmp_path: Path) -> None:
    write(tmp_path, FULL, "shared/parent.yaml")
    child = load_cell(write(tmp_path, "extends: shared/parent.yaml\ncell: child\nrecipe: {seed: 1}\n"))
    assert child.cell.recipe.seed == 1
    assert child.data == tmp_path / "shared" / "data" / "rewrites-v5.jsonl"
    own = load_cell(write(tmp_path, "extends: shared/parent.yaml\ncell: own\nrecipe: {with: {data: x.jsonl}}\n"))
    assert own.data == tmp_path / "x.jsonl"


def test_a_child_may_start_from_a_checkpoint_where_its_parent_starts_from_a_base(tmp_path: Path) -> None:
    write(tmp_path, MINIMAL, "parent.yaml")
    text = (
        "extends: parent.yaml\ncell: child\nmodel: {base: null, revision: null, from: {cell: a, checkpoint: final}}\n"
    )
    assert isinstance(load_cell(write(tmp_path, text)).cell.model, TrainedModel)


def test_an_error_found_later_is_given_its_place_once(tmp_path: Path) -> None:
    loaded: LoadedCell = load_cell(write(tmp_path, FULL))
    with pytest.raises(CellError) as error, loaded.at("evaluate", 1, "suite"), loaded.at("evaluate", 1, "sample"):
        raise CellError("no such sample")
    assert str(error.value) == f"{loaded.path}:12: evaluate[1].sample: no such sample"


def test_a_cell_is_found_by_its_name_from_a_folder_upwards(tmp_path: Path) -> None:
    path = write(tmp_path, MINIMAL, "cells/small.yaml")
    assert find_cell("small", tmp_path / "cells" / "studies") == path
    assert find_cell("small", tmp_path) == path
    with pytest.raises(CellError, match=r"the cell 'nobody' is not there: no nobody\.yaml in "):
        find_cell("nobody", tmp_path)


def _accepted_or_explained(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.yaml"
        path.write_bytes(content)
        message = str(path)
        try:
            load_cell(path)
        except CellError as error:
            message = str(error)
        assert message
        assert all(line.startswith(str(path)) for line in message.splitlines())


@given(st.binary(max_size=200) | st.text("ab:-{}[]#&*!|>'\"%@`,?\n\t 0.e~<", max_size=200).map(str.encode))
def test_no_file_whatever_is_in_it_raises_anything_but_an_explanation(content: bytes) -> None:
    _accepted_or_explained(content)


@given(st.integers(0, len(FULL) - 1), st.integers(0, 8), st.text("ab:-{}[]\n\t '\"&*!0,", max_size=3))
def test_a_cell_with_a_slip_of_the_pen_is_accepted_or_explained(start: int, gone: int, new: str) -> None:
    _accepted_or_explained((FULL[:start] + new + FULL[start + gone :]).encode())
