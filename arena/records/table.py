"""The episode table on disk: parquet, one row an episode, columns as `Episode` has them."""

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from arena.errors import RecordError
from arena.records.episode import SCHEMA_VERSION, Episode
from arena.records.files import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = b"arena-episodes"


@cache
def schema() -> "pa.Schema":
    """Return the table's schema: the fields of `Episode`, in order."""
    import pyarrow as pa

    hints = get_type_hints(Episode)
    columns = [pa.field(f.name, _arrow_type(hints[f.name]), nullable=_nullable(hints[f.name])) for f in fields(Episode)]
    return pa.schema(columns, metadata={b"format": FORMAT, b"schema_version": str(SCHEMA_VERSION).encode()})


def write_episodes(path: Path, episodes: Iterable[Episode]) -> None:
    """Write the table, whole or not at all."""
    import pyarrow.parquet as pq

    with whole_file(path) as draft:
        pq.write_table(_table(episodes), draft, compression="zstd")


def _table(episodes: Iterable[Episode]) -> "pa.Table":
    """Return the rows as a table; by way of JSON, since Arrow's own way from Python objects loads pandas."""
    import io

    from pyarrow import json as arrow_json

    lines = "\n".join(json.dumps(asdict(episode), allow_nan=False) for episode in episodes)
    if not lines:
        return schema().empty_table()
    options = arrow_json.ParseOptions(explicit_schema=schema(), unexpected_field_behavior="error")
    return arrow_json.read_json(io.BytesIO(lines.encode()), parse_options=options).cast(schema())


def read_episodes(path: Path) -> tuple[Episode, ...]:
    """Return the table's episodes; raises `RecordError` for a file that is missing, damaged or of another version."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path).read()
    except FileNotFoundError:
        raise RecordError(f"{path}: no episode table; `arena run cell` writes it") from None
    except (pa.ArrowInvalid, OSError) as damage:
        raise RecordError(f"{path}: damaged episode table ({damage}); remove it: it is rebuilt from the logs") from None
    version = (table.schema.metadata or {}).get(b"schema_version", b"none").decode()
    if version != str(SCHEMA_VERSION):
        raise RecordError(f"{path}: episode table of version {version}, this arena reads version {SCHEMA_VERSION}")
    return tuple(Episode(**row) for row in table.select(schema().names).to_pylist())


def _arrow_type(hint: Any) -> "pa.DataType":
    import pyarrow as pa

    plain = _without_none(hint)
    if get_origin(plain) is Literal:
        plain = type(get_args(plain)[0])
    kinds: dict[object, pa.DataType] = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    return kinds[plain]


def _nullable(hint: Any) -> bool:
    return NoneType in get_args(hint)


def _without_none(hint: Any) -> Any:
    rest = [kind for kind in get_args(hint) if kind is not NoneType]
    return rest[0] if _nullable(hint) else hint
