"""SWE-bench's own row format, as a frozen model and a reader of its `.jsonl` files."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from arena.errors import UsageError


def _names(value: object) -> object:
    """Read a list of test names, which the files hold as a JSON string."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except json.JSONDecodeError as cause:
        raise ValueError(f"no JSON list of test names: {cause}") from cause


TestNames = Annotated[tuple[str, ...], BeforeValidator(_names)]


class SweBenchRow(BaseModel):
    """One instance of SWE-bench, as swebench 5 grades it.

    Columns beyond these are dropped: nothing here depends on them.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True)

    instance_id: str = Field(min_length=1)
    repo: str
    """`owner/name`."""
    base_commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    """What the agent starts from."""
    patch: str
    """The gold patch: what the project's own developers changed."""
    test_patch: str
    """What they changed in the tests; applied by the evaluation alone."""
    problem_statement: str
    hints_text: str = ""
    created_at: str = ""
    version: str = ""
    FAIL_TO_PASS: TestNames
    """Tests that fail without the gold patch and pass with it."""
    PASS_TO_PASS: TestNames
    """Tests that pass with and without it, and must go on passing."""
    environment_setup_commit: str = ""
    difficulty: str = ""
    """How long an engineer would take, in SWE-bench Verified's words, such as `<15 min fix`."""
    image: str
    """The container image that holds the repository at `/testbed`; empty where a suite uses none."""
    eval_script: str
    log_parser: str
    """The name of the parser in swebench's `PARSER_REGISTRY`."""
    eval_type: Literal["pass_and_fail", "fail_only"] = "pass_and_fail"

    def columns(self) -> dict[str, str]:
        """Return SWE-bench's columns as its files hold them: every value a string, test names as JSON."""
        held = {name: getattr(self, name) for name in SweBenchRow.model_fields}
        return {name: value if isinstance(value, str) else json.dumps(list(value)) for name, value in held.items()}


Row = TypeVar("Row", bound=SweBenchRow)


def read_rows(path: Path, model: type[Row]) -> tuple[Row, ...]:
    """Read the rows of a `.jsonl` or `.jsonl.gz` file; raises `UsageError` that names file and line."""
    rows: dict[str, Row] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        row = _row(line, model, f"{path}:{number}")
        if row.instance_id in rows:
            raise UsageError(f"{path}:{number}: instance {row.instance_id!r} stands here a second time; remove one")
        rows[row.instance_id] = row
    return tuple(rows.values())


def _lines(path: Path) -> Iterator[str]:
    try:
        with gzip.open(path, "rt", encoding="utf8") if path.suffix == ".gz" else path.open(encoding="utf8") as file:
            yield from file
    except (OSError, EOFError, UnicodeDecodeError) as cause:
        raise UsageError(f"{path}: cannot be read as SWE-bench rows: {cause}") from cause


def _row(line: str, model: type[Row], where: str) -> Row:
    try:
        return model.model_validate(json.loads(line))
    except json.JSONDecodeError as cause:
        raise UsageError(f"{where}: no JSON object: {cause}; each line holds one row") from cause
    except ValidationError as cause:
        first = cause.errors()[0]
        column = ".".join(str(part) for part in first["loc"]) or "row"
        missing = "; rows made before swebench 5 lack it" if first["type"] == "missing" else ""
        raise UsageError(f"{where}: column {column!r}: {first['msg']}{missing}") from cause
