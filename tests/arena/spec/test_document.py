import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import CellError
from arena.spec.canonical import digest_of
from arena.spec.document import Document, merge, read_document
from arena.spec.files import MAX_BYTES
from arena.spec.problem import Place
from arena.spec.yaml_text import MAX_VALUES, read_yaml

scalars = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text("ab:#'\"- é", max_size=6)
values = st.recursive(
    scalars,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text("abc .", min_size=1, max_size=3), below, max_size=3)
    ),
    max_leaves=12,
)
mappings = st.dictionaries(st.text("abc", min_size=1, max_size=2), values, max_size=4)


def write(folder: Path, text: str | bytes, name: str = "a.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(path: Path) -> str:
    with pytest.raises(CellError) as error:
        read_document(path)
    return str(error.value)


def document(value: dict[str, object]) -> Document:
    return Document(Path("a.yaml"), value, {})  # type: ignore[arg-type]


@given(mappings)
def test_what_json_writes_is_read_back_with_a_place_for_every_key(value: dict[str, object]) -> None:
    reading = read_yaml(json.dumps(value, indent=1), Path("a.yaml"))
    assert reading.value == value
    assert [reading.keys[key,].line for key in value] == sorted(reading.keys[key,].line for key in value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1e-4", 1e-4),
        ("1.5", 1.5),
        ("-3", -3),
        ("010", "010"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ("1:30", "1:30"),
        ("2026-08-17", "2026-08-17"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("null", None),
        ("", None),
        ("'5'", "5"),
        ("!!str 5", "5"),
        (".nan", ".nan"),
        (".inf", ".inf"),
    ],
)
def test_a_scalar_means_what_it_looks_like(text: str, expected: object) -> None:
    assert read_yaml(f"key: {text}", Path("a.yaml")).value == {"key": expected}


def test_places_count_lines_and_columns_from_one(tmp_path: Path) -> None:
    path = write(tmp_path, "# a comment\none: 1\nmany:\n  - {x: 1}\n  - {x: 2}\n")
    read = read_document(path)
    assert read.place(("many", 1, "x")) == Place(path, 5, 6)
    assert read.place(("many", 1)) == Place(path, 5, 5)
    assert read.place(("many", 1, "not there")) == Place(path, 5, 5)
    assert read.place(("not there",)) == Place(path, 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "{path}:3: a: this key stands twice, first in line 1; remove one"),
        ("a:\n  b: 1\n  b: 2\n", "{path}:3: a.b: this key stands twice, first in line 2; remove one"),
        ("a:\n\tb: 1\n", "{path}:2: a tab where only spaces may stand; indent with spaces"),
        ("a: [1\nb: 2\n", "{path}:2: not valid YAML: expected ',' or ']', but got ':' (while parsing a flow sequence)"),
        ("a: *x\n", "{path}:1: not valid YAML: found undefined alias 'x'"),
        ("a: 1\n---\nb: 2\n", "{path}:2: a second document begins here; one file holds one document"),
        (
            "a: !!python/name:os.system x\n",
            "{path}:1: a: tags are not read here, got tag:yaml.org,2002:python/name:os.system on 'x'",
        ),
        ("a: !secret {b: 1}\n", "{path}:1: a: tags are not read here, got !secret"),
        ("a: !!int x\n", "{path}:1: a: tags are not read here, got tag:yaml.org,2002:int on 'x'"),
        ("x: &x {a: 1}\ny:\n  <<: *x\n", "{path}:3: y.<<: merge keys are not read; name a parent file with `extends:`"),
        ("x: &x\n  a: *x\n", "{path}:1: x.a: an alias that contains itself"),
        ("[a]: 1\n", "{path}:1: a key must be a word, got a list or a mapping"),
        ("- 1\n- 2\n", "{path}:1: expected keys and values, got [1,2]"),
        ("just words\n", "{path}:1: expected keys and values, got 'just words'"),
        (
            "a: 99999999999999999999\n",
            "{path}:1: a: a number beyond 64 bits, got '99999999999999999999'; quote it if it is a name",
        ),
        ("a: 12e4567\n", "{path}:1: a: a number too large to be one, got '12e4567'; quote it if it is a name"),
        ('a: "\\0"\n', "{path}:1: a: a control character, got '\\x00'"),
        ('a: 1\nb: "\\ud800"\n', "{path}:2: b: a control character, got '\\ud800'"),
        ("a: 1\nb: \x07\n", "{path}:2: a character that YAML does not allow, got '\\x07'"),
        ("# nothing\n", "{path}: is empty but for comments"),
        ("", "{path}: is empty"),
        (" \n\n", "{path}: is empty"),
        (b"a: 1\nb: \xff\n", "{path}:2: is not UTF-8 text, got the byte 0xff; save it as UTF-8"),
        ("a: 1".encode("utf-16"), "{path}: is UTF-16 text; save it as UTF-8"),
        (b"\x7fELF\x00\x01", "{path}: is not text (it holds NUL bytes)"),
        (b"a" * (MAX_BYTES + 1), "{path}: larger than 128 KiB; this is no file that a person wrote for arena"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained_in_one_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = write(tmp_path, text)
    assert refused(path) == message.format(path=path)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.yaml") == f"{tmp_path / 'no.yaml'}: no such file"
    assert refused(tmp_path) == f"{tmp_path}: is a folder; name a file in it"
    assert refused(write(tmp_path, "a: 1") / "x") == f"{tmp_path / 'a.yaml' / 'x'}: cannot be read: Not a directory"
    assert refused(Path("a\0b")) == "a\0b: cannot be read: embedded null byte"


def test_a_billion_laughs_end_at_the_bound(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    path = write(tmp_path, "\n".join(lines))
    assert f": more than {MAX_VALUES} values once its aliases are expanded" in refused(path)


@pytest.mark.parametrize("depth", [40, 5000])
def test_deep_nesting_is_refused_whatever_its_depth(tmp_path: Path, depth: int) -> None:
    assert "nested more than 32 levels deep" in refused(write(tmp_path, "a: " + "[" * depth + "]" * depth))


def test_a_byte_order_mark_and_crlf_change_nothing(tmp_path: Path) -> None:
    plain = read_document(write(tmp_path, "a: 1\nb: {c: x}\n", "plain.yaml"))
    other = read_document(write(tmp_path, "\ufeffa: 1\r\nb: {c: x}\r\n".encode(), "other.yaml"))
    assert other.value == plain.value


def test_a_child_merges_into_its_parent_and_every_value_keeps_its_place(tmp_path: Path) -> None:
    parent = write(
        tmp_path, "recipe:\n  seed: 1\n  with: {lr: 1, steps: 5}\nlist: [1, 2, 3]\ngone: 1\n", "p/parent.yaml"
    )
    child = write(tmp_path, "extends: p/parent.yaml\nrecipe:\n  with: {lr: 2}\nlist: [4]\ngone: null\nnew: null\n")
    read = read_document(child)
    assert read.value == {"recipe": {"seed": 1, "with": {"lr": 2, "steps": 5}}, "list": [4], "new": None}
    assert read.keys == ("recipe", "list", "gone", "new")
    assert read.place(("recipe", "with", "lr")) == Place(child, 3, 10)
    assert read.place(("recipe", "with", "steps")) == Place(parent, 3, 17)
    assert read.place(("list", 0)) == Place(child, 4, 8)
    assert read.place(("list", 2)) == Place(child, 4, 1)


def test_a_parent_that_is_missing_or_leads_back_is_refused(tmp_path: Path) -> None:
    one = write(tmp_path, "extends: two.yaml\na: 1\n", "one.yaml")
    two = write(tmp_path, "b: 1\nextends: ./one.yaml\n", "two.yaml")
    assert refused(one) == f"{two}:2: extends: a file cannot extend itself: {one} → {two} → {one}"
    lost = write(tmp_path, "\nextends: none.yaml\n", "lost.yaml")
    assert refused(lost) == f"{lost}:2: extends: the parent {tmp_path / 'none.yaml'}: no such file"
    long = write(tmp_path, f"extends: {'n' * 5000}\n", "long.yaml")
    assert (
        refused(long) == f"{long}:1: extends: the parent {tmp_path / ('n' * 5000)}: cannot be read: File name too long"
    )
    several = write(tmp_path, "extends: [one.yaml]\n", "several.yaml")
    assert refused(several) == f'{several}:1: extends: expected the name of one file, got ["one.yaml"]'


@given(mappings)
def test_merging_with_nothing_changes_nothing(value: dict[str, object]) -> None:
    assert merge(document(value), document({})).value == value
    assert merge(document({}), document(value)).value == value


@given(mappings, mappings)
def test_a_merge_takes_each_scalar_from_the_child_or_else_from_the_parent(
    parent: dict[str, object], child: dict[str, object]
) -> None:
    merged = merge(document(parent), document(child)).value
    assert set(merged) == {key for key in parent | child if key not in parent or child.get(key, 0) is not None}
    for key, value in merged.items():
        if isinstance(parent.get(key), dict) and isinstance(child.get(key), dict):
            assert value == merge(document(parent[key]), document(child[key])).value  # type: ignore[arg-type]
        else:
            assert value == (child[key] if key in child else parent[key])


@given(mappings, st.randoms(use_true_random=False))
def test_a_digest_knows_no_order_of_keys(value: dict[str, object], random: object) -> None:
    keys = list(value)
    random.shuffle(keys)  # type: ignore[attr-defined]
    assert digest_of({key: value[key] for key in keys}) == digest_of(value)


def test_equal_numbers_have_equal_digests_and_unequal_values_have_not() -> None:
    assert digest_of({"hours": 100}) == digest_of({"hours": 100.0})
    assert digest_of({"x": -0.0}) == digest_of({"x": 0})
    different = [1, True, "1", None, [1], {"1": 1}, 1.5, 2**53 + 1, float(2**53)]
    assert len({digest_of(value) for value in different}) == len(different)


def test_what_is_no_json_has_no_digest() -> None:
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        digest_of({"x": float("nan")})
    with pytest.raises(TypeError, match="not a JSON value: PosixPath"):
        digest_of([Path("a")])
    with pytest.raises(TypeError, match="a JSON object's keys are strings, got 1"):
        digest_of({1: 2})
