import gzip
import json
import re
from pathlib import Path

import pytest

from scorers.protected import Section, reconfigures, top_module, why_protected

CHANGED = b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
ADDED = b"diff --git a/x b/x\nnew file mode 100644\nindex 0..2\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("tests/test_a.py", "test"),
        ("pkg/tests/helpers/data.json", "test"),
        ("tests", "test"),
        ("testing/conftest.py", "test"),
        ("pkg/test_a.py", "test"),
        ("pkg/sub/conftest.py", "test"),
        ("sitecustomize.py", "loaded unasked"),
        ("src/evil.pth", "loaded unasked"),
        ("pkg/__pycache__/a.cpython-311.pyc", "loaded unasked"),
        ("evil.egg-info/entry_points.txt", "loaded unasked"),
        ("pytest.ini", "test runner"),
        ("docs/tox.ini", "test runner"),
        ("bin/test", "test runner"),
        ("pytest.py", "shadows a module"),
        ("src/_pytest/terminal.py", "shadows a module"),
        ("json/__init__.py", "shadows a module"),
    ],
)
def test_what_decides_how_tests_run_is_left_out(path: str, reason: str) -> None:
    assert why_protected(Section(path, ADDED), {"bin/test"}, {"pkg"}) == reason


@pytest.mark.parametrize(
    "path",
    ["pkg/core.py", "django/test/client.py", "sympy/testing/runtests.py", "pkg/json.py", "setup.cfg", "pkg/attest.py",
     "sympy/utilities/randtest.py", "README.md", "src/pkg/new.py"],
)  # fmt: skip
def test_what_is_tested_is_not(path: str) -> None:
    assert why_protected(Section(path, ADDED), {"bin/test"}, {"pkg"}) is None


def test_a_module_that_the_checkout_has_may_grow() -> None:
    assert why_protected(Section("src/_pytest/new.py", ADDED), set(), {"_pytest"}) is None
    assert why_protected(Section("src/_pytest/terminal.py", CHANGED), set(), set()) is None


def test_no_gold_patch_of_swe_bench_verified_is_touched() -> None:
    rows = Path(__file__).parents[2].parent / "shared/data/swe_bench_verified.jsonl.gz"
    if not rows.exists():
        pytest.skip(f"{rows} is not here")
    with gzip.open(rows, "rt") as file:
        patches = [json.loads(line)["patch"] for line in file]
    sections = [
        Section(re.match(r"a/(\S+)", part)[1], f"diff --git {part}".encode())  # type: ignore[index]
        for patch in patches
        for part in re.split(r"^diff --git ", patch, flags=re.MULTILINE)[1:]
    ]

    assert len(sections) > 500
    # these repositories are pytest itself and a package called `sklearn`, with no module of a protected name added
    assert [s.path for s in sections if why_protected(s, {"bin/test", "tox.ini", "tests/runtests.py"}, set())] == []


@pytest.mark.parametrize(
    ("path", "module"),
    [("a.py", "a"), ("a/b.py", "a"), ("src/a/b.py", "a"), ("src/a.py", "a"), ("README.md", None), ("src/x.txt", None)],
)
def test_a_file_on_the_import_path_makes_a_module(path: str, module: str | None) -> None:
    assert top_module(path) == module


@pytest.mark.parametrize(
    ("path", "before", "after", "changed"),
    [
        ("setup.cfg", "[metadata]\nname=a\n", "[metadata]\nname=b\n", False),
        ("setup.cfg", "[tool:pytest]\naddopts=-x\n", "[tool:pytest]\naddopts=-x\n[a]\nb=c\n", False),
        ("setup.cfg", "[metadata]\r\nname=a\r\n", "[metadata]\r\nname=b\r\n", False),
        ("setup.cfg", "[metadata]\nname=a\n", "[metadata]\nname=a\n[tool:pytest]\naddopts=-p evil\n", True),
        ("setup.cfg", "[metadata]\nname=a\n", "[metadata]\nname=a\x0c[tool:pytest]\naddopts=-p evil\n", True),
        ("setup.cfg", None, "[options.entry_points]\npytest11 =\n  a = evil\n", True),
        ("setup.cfg", "[metadata]\n", "no section\n", True),
        ("pyproject.toml", '[project]\nname="a"\n', '[project]\nname="b"\n', False),
        ("pyproject.toml", '[project]\nname="a"\n', 'tool.pytest.ini_options.addopts = "-p evil"\n', True),
        ("pyproject.toml", '[project]\nname="a"\n', '[project.entry-points.pytest11]\na = "evil"\n', True),
        ("pyproject.toml", "a = 1\n", "a = \n", True),
        ("pyproject.toml", None, '[build-system]\nbackend-path = ["."]\n', True),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-x'\n", None, True),
    ],
)
def test_only_a_change_of_what_configures_pytest_or_the_build_counts(
    path: str, before: str | None, after: str | None, changed: bool
) -> None:
    assert reconfigures(path, before and before.encode(), after and after.encode()) is changed  # type: ignore[arg-type]
