from pathlib import Path

import pytest
from pydantic import BaseModel

from arena.spec.cell import Panel
from arena.spec.plan import PLAN_VERSION
from arena.spec.reference import MODELS, refreshed, table

FORMATS = Path(__file__).resolve().parents[3] / "docs" / "formats.md"
UNSAID = {"name", "seed", "score_definition", "suite", "rules"}


def test_the_tables_of_the_formats_page_are_those_of_the_code() -> None:
    page = FORMATS.read_text(encoding="utf-8")
    assert refreshed(page) == page
    assert f"digits name the run's folder. Version {PLAN_VERSION}." in page


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_on_the_page_and_every_key_says_what_it_means(name: str) -> None:
    model: type[BaseModel] = MODELS[name]
    properties = model.model_json_schema()["properties"]
    assert [key for key, one in properties.items() if not one.get("description") and key not in UNSAID] == []
    if name not in ("model (trained)", "replicates", "panel budget"):
        assert f"<!-- keys of {name} -->" in FORMATS.read_text(encoding="utf-8")


def test_a_table_shows_bounds_defaults_and_alternatives() -> None:
    rows = table(Panel).splitlines()
    assert rows[2] == "| `suite` | text | **needed** | A built-in suite's name, or `module:function`. |"
    assert rows[4] == (
        "| `replicates` | whole number ≥ 1, ≤ 1000 or list of mappings | `1` | "
        "How often every task is run; or a list with a sample for each time. |"
    )


def test_a_changed_table_is_noticed() -> None:
    page = f"<!-- keys of budget -->\n{table(MODELS['budget'])}<!-- end of keys -->\n"
    assert refreshed(page.replace("whole number", "number")) == page
