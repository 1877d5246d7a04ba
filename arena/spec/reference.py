"""The tables of keys in `docs/formats.md`, written from the models: `python -m arena.spec.reference docs/formats.md`.

In the page a table stands between `<!-- keys of NAME -->` and `<!-- end of keys -->`, for a NAME of `MODELS`.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from arena.spec.cell import (
    Budget,
    Cell,
    CheckpointOf,
    Generate,
    HarnessSpec,
    Package,
    Panel,
    PanelBudget,
    PinnedModel,
    Recipe,
    Replicate,
    Serve,
    TrainedModel,
)
from arena.spec.claim import Claim
from arena.spec.goal import GoalRules
from arena.spec.plan import Plan, PlannedGoal, PlannedPanel, PlannedPlugin, PlannedSample
from arena.spec.study import Grid, Stop, Study

MODELS: Mapping[str, type[BaseModel]] = {
    "cell": Cell,
    "model (pinned)": PinnedModel,
    "model (trained)": TrainedModel,
    "from": CheckpointOf,
    "budget": Budget,
    "recipe": Recipe,
    "package": Package,
    "harness": HarnessSpec,
    "serve": Serve,
    "generate": Generate,
    "evaluate": Panel,
    "replicates": Replicate,
    "panel budget": PanelBudget,
    "claim": Claim,
    "goal": GoalRules,
    "study": Study,
    "grid": Grid,
    "stop": Stop,
    "plan": Plan,
    "planned goal": PlannedGoal,
    "planned panel": PlannedPanel,
    "planned sample": PlannedSample,
    "planned plug-in": PlannedPlugin,
}

_BLOCK = re.compile(r"(<!-- keys of (?P<name>[^>]+) -->\n).*?(<!-- end of keys -->)", re.DOTALL)
_WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}
_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def refreshed(page: str) -> str:
    """Return a page with every table of keys written anew."""
    return _BLOCK.sub(lambda match: f"{match[1]}{table(MODELS[match['name']])}{match[3]}", page)


def table(model: type[BaseModel]) -> str:
    """Return a model's keys as a Markdown table: key, value, default, meaning."""
    schema = model.model_json_schema()
    needed = schema.get("required", [])
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key, one in schema["properties"].items():
        default = "**needed**" if key in needed else _default(one)
        meaning = one.get("description", "").replace("\n", " ").replace("|", "\\|")
        rows.append(f"| `{key}` | {_value(one)} | {default} | {meaning} |")
    return "\n".join(rows) + "\n"


def _default(schema: Mapping[str, Any]) -> str:
    default = schema.get("default", {})
    if default is None:
        return "none"
    if isinstance(default, dict | list):
        return "its keys' defaults" if default or "$ref" in schema else "empty"
    return f"`{default}`" if isinstance(default, str) else f"`{json.dumps(default)}`"


def _value(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return "keys of its own"
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{word}`" for word in schema.get("enum", [schema.get("const")]))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            kinds = [_value(one) for one in schema[key] if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if schema.get("type") == "array":
        items = schema.get("items", {})
        return f"list of {'mappings' if '$ref' in items else _value(items)}"
    if schema.get("type") == "object":
        return "mapping"
    bounds = ", ".join(f"{sign} {schema[key]:g}" for key, sign in _BOUNDS.items() if key in schema)
    word = _WORDS.get(schema.get("type", ""), "any JSON value")
    return f"{word} {bounds}".strip()


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
