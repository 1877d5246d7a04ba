from dataclasses import replace

from arena.execute.agent import build_harness, resolved
from arena.spec.source import source_digest
from solvers.react import PROMPT, solver
from solvers.workdir import PROCEDURE, plugin


def test_the_procedure_stands_after_the_prompt_and_the_rest_is_as_it_was() -> None:
    plain = solver(message_limit=7)
    changed = plugin(plain)

    assert changed.prompt == f"{PROMPT}\n\n{PROCEDURE}"
    assert changed.workdir == "task"
    assert replace(changed, prompt=plain.prompt, workdir=plain.workdir) == plain


def test_a_cell_names_it_and_its_plan_shows_what_it_changed() -> None:
    plain = resolved(build_harness("solvers.react:solver", {}))
    changed = resolved(build_harness("solvers.react:solver", {}, ["solvers.workdir:plugin"]))

    assert {key for key in plain if plain[key] != changed[key]} == {"prompt", "workdir"}


def test_its_digest_covers_its_file() -> None:
    assert "solvers/workdir.py" in dict(source_digest("solvers.workdir:plugin").files)
