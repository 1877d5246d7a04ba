"""Corrupted records give an error that names the place, or fewer grades: never a traceback, never a wrong number."""

import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.records.importers.detect import IMPORTERS, detect, read_records
from arena.records.importers.imported import Imported
from arena.records.table import schema

HOSTILE: tuple[Any, ...] = (None, -1, -0.5, 7, 10**30, 1e308, float("nan"), float("inf"), "\ud800", "x" * 5000, [], {})
HOSTILE += ([None], {"": {}}, "2026-99-99T00:00:00Z", "../../etc/passwd", [[[[]]]], "\x00", "NaN", "-")
"""None of these is a verdict of any form; 0, 1, true and false are left out, since nobody could tell them from one."""

Cases = dict[str, tuple[Path, Imported]]


@pytest.fixture(scope="module")
def sources(made: Any, tmp_path_factory: pytest.TempPathFactory) -> Cases:
    found = dict(made.all(tmp_path_factory.mktemp("fuzz")))
    return {name: (path, read_records(path)) for name, path in found.items()}


def test_the_small_sources_have_passes_failures_and_gaps(sources: Cases) -> None:
    graded = {name: {one.grade for one in found.episodes} for name, (_, found) in sources.items()}
    assert all("pass" in grades for name, grades in graded.items() if name != "mini")
    assert all({"unscored", "fail"} & grades for grades in graded.values())
    assert {found.format for _, found in sources.values()} == set(IMPORTERS)


def test_corruptions_never_give_a_traceback_or_a_wrong_number(sources: Cases) -> None:
    run_cases(sources, 900, seed=0)


@pytest.mark.slow
def test_ten_thousand_corruptions(sources: Cases) -> None:
    run_cases(sources, 10_000, seed=1)


@pytest.mark.slow
def test_corruptions_of_real_files(tmp_path: Path) -> None:
    kept = Path(__file__).parents[5] / "shared" / "formats"
    if not kept.is_dir():
        pytest.skip("the real files of each form are not here")
    found = {}
    for path in real_sources(kept):
        copy = tmp_path / path.relative_to(kept)
        for file in [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]:
            if file.suffix in (".json", ".jsonl", ".yaml", ".eval"):
                target = tmp_path / file.relative_to(kept)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())
        found[str(path)] = (copy, read_records(copy))
    run_cases(found, 2000, seed=2)


def real_sources(kept: Path) -> Iterator[Path]:
    for path in (*kept.glob("*/*"), *kept.glob("swebench_report/logs/run_evaluation/*/*"), *kept.glob("verifiers/*/*")):
        try:
            detect(path)
        except ArenaError:
            continue
        yield path


def run_cases(sources: Cases, count: int, seed: int) -> None:
    names = sorted(sources)
    outcomes = {"refused": 0, "read": 0}
    for number in range(count):
        rng = random.Random(seed * 1_000_000 + number)
        name = names[number % len(names)]
        root, before = sources[name]
        files = [root] if root.is_file() else sorted(one for one in root.rglob("*") if one.is_file())
        file = rng.choice(files)
        content = file.read_bytes()
        change, says_less = corrupted(content, file, rng)
        if rng.random() < 0.03:
            file.unlink()
        else:
            file.write_bytes(change)
        try:
            outcomes[check(root, before, says_less, f"{name}, case {number} of seed {seed}, {file.name}")] += 1
        finally:
            file.write_bytes(content)
    assert outcomes["refused"] > count / 20
    assert outcomes["read"] > count / 20


def check(root: Path, before: Imported, says_less: bool, case: str) -> str:
    """Read a corrupted source; `says_less` tells that no verdict can have been added."""
    try:
        found = read_records(root)
    except ArenaError as refused:
        message = str(refused)
    else:
        check_read(found, before, says_less, case)
        return "read"
    assert root.name in message, f"{case}: the place is not named: {message}"
    return "refused"


def check_read(found: Imported, before: Imported, says_less: bool, case: str) -> None:
    for line in found.lines:
        assert 0 <= line.passed + line.failed <= line.planned, case
        assert line.planned == line.passed + line.failed + line.unscored, case
        assert 0 <= line.bracket.lo <= line.bracket.hi <= 1, case
        assert line.rate is None or line.bracket.lo - 1e-12 <= line.rate, case
        assert all(one.value is None or 0 <= one.value <= 1 for one in line.scores), case
    assert_writable(found)
    if says_less:
        for grade in ("pass", "fail"):
            now, then = (sum(one.grade == grade for one in side.episodes) for side in (found, before))
            assert now <= then, f"{case}: {now} episodes are graded {grade}, before the corruption {then}"


def assert_writable(found: Imported) -> None:
    import pyarrow as pa

    pa.Table.from_pylist([asdict(one) for one in found.episodes], schema=schema())
    json.dumps(found.as_json(), allow_nan=False).encode()


def corrupted(content: bytes, file: Path, rng: random.Random) -> tuple[bytes, bool]:
    """Return the content with one corruption, and whether it can only have taken verdicts away."""
    if rng.random() < 0.4:
        change = rng.choice(BYTES)
        return change(content, rng), change is _truncated
    if file.suffix == ".eval":
        return in_archive(content, rng), True
    return in_text(content, file.suffix, rng), True


def _truncated(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _flipped(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(max(1, len(content)))
    return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]


def _cut(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    return content[:start] + content[start + rng.randrange(1, 50) :]


def _repeated(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    end = start + rng.randrange(1, 200)
    return content[:end] + content[start:end] + content[end:]


GARBAGE = (b"\xff\xfe", b"\x00" * 9, b"[" * 60_000, b"NaN", b"9" * 6000)
YAML = ("  - [x\n", "&a [*a]\n", "\t\n", "- 7\n", "!!python/object:os.system {}\n", "{" * 3000)


def _garbage(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(GARBAGE) + content[place:]


BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (_truncated, _flipped, _cut, _repeated, _garbage)


def in_archive(content: bytes, rng: random.Random) -> bytes:
    """Corrupt the JSON of one part of a log, and pack it again."""
    import zipfile_zstd  # noqa: F401  lets zipfile read what Inspect has packed

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {one.filename: archive.read(one) for one in archive.infolist()}
    chosen = rng.choice(sorted(parts))
    parts[chosen] = in_text(parts[chosen], ".json", rng)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return packed.getvalue()


def in_text(content: bytes, suffix: str, rng: random.Random) -> bytes:
    """Corrupt one value of a file of JSON, of lines of JSON, or of YAML's plain lines."""
    text = content.decode()
    if suffix == ".json":
        return in_json(text, rng).encode("utf-8", "surrogatepass")
    rows = text.splitlines(keepends=True)
    place = rng.randrange(len(rows))
    if suffix == ".jsonl":
        rows[place] = rng.choice((in_json(rows[place], rng) + "\n", "\n", "null\n", "7\n"))
    else:
        rows[place] = rng.choice(YAML)
    return "".join(rows).encode("utf-8", "surrogatepass")


def in_json(text: str, rng: random.Random) -> str:
    data = json.loads(text)
    places = list(walk(data))
    if not places:
        return json.dumps(rng.choice(HOSTILE))
    inside, key = rng.choice(places)
    kind = rng.randrange(5)
    if kind == 0:
        del inside[key]
    elif kind == 1 and isinstance(inside, dict):
        inside[f"{key}?"] = inside.pop(key)
    elif kind == 2 and isinstance(inside, dict):
        return twice(data, inside, key, rng)
    elif kind == 3 and isinstance(inside, list):
        inside.append(inside[key])
    else:
        inside[key] = rng.choice([one for one in HOSTILE if key != "model_patch" or one not in (None, "-")])
    return json.dumps(data)


def twice(data: Any, inside: dict[str, Any], key: str, rng: random.Random) -> str:
    """Give an object one of its keys a second time, with another value."""
    kept = inside[key]
    inside[key] = "the first"
    inside["the second"] = kept
    return json.dumps(data).replace('"the second": ', f"{json.dumps(key)}: ", 1)


def walk(value: Any) -> Iterator[tuple[Any, Any]]:
    """Give every place in a JSON value: what holds it, and its key or index."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        yield value, key
        yield from walk(item)
