"""What of a patch is left out when its tests are run: whatever decides how they run, rather than what they test.

The official evaluation restores the files of the test patch alone. Here every test file, pytest's and tox's settings,
and what Python or pytest would load of itself are as in the fresh checkout, which is the state in which the gold patch
was found right. Gold patches do not touch them (none of SWE-bench Verified's 500 does).
"""

import configparser
import re
import sys
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import PurePosixPath

TEST_FILES = ("test_*.py", "*_test.py", "*_tests.py", "tests.py", "conftest.py")
TEST_FOLDERS = frozenset({"tests"})
TOP_TEST_FOLDERS = frozenset({"test", "testing"})
RUNNER_FILES = frozenset(
    {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "tox.toml", "noxfile.py", ".gitattributes"}
)
LOADED_UNASKED = ("sitecustomize.py", "usercustomize.py", "*.pth", "*.py[cod]", "*.egg-link")
METADATA_FOLDERS = (".egg-info", ".dist-info")
"""A folder of this kind on the path can name a pytest plug-in that is then loaded."""
MIXED_FILES = frozenset({"setup.cfg", "pyproject.toml"})
"""They say other things too, and only what configures pytest, or the build, counts."""

ROOTS = ("", "src/", "lib/")
SHADOWED = frozenset(sys.stdlib_module_names) | {
    "_pytest", "pytest", "py", "pluggy", "iniconfig", "packaging", "exceptiongroup", "tomli", "attr", "attrs", "xdist",
    "pytest_cov", "pytest_timeout", "hypothesis", "nose", "tox", "pip", "setuptools", "pkg_resources", "wheel", "six",
}  # fmt: skip


@dataclass(frozen=True)
class Section:
    """One file's part of a patch."""

    path: str
    text: bytes

    @property
    def added(self) -> bool:
        return re.search(rb"^new file mode ", self.text.partition(b"\n@@")[0], re.MULTILINE) is not None


def why_protected(section: Section, command_files: Collection[str], modules: Collection[str]) -> str | None:
    """Return why a part of a patch is left out, or none.

    Parameters
    ----------
    section
        One file's part of the patch.
    command_files
        Files of the checkout that the evaluation script runs.
    modules
        Modules that lie on the import path in the fresh checkout.
    """
    path = PurePosixPath(section.path)
    if TEST_FOLDERS.intersection(path.parts) or path.parts[0] in TOP_TEST_FOLDERS or _like(path.name, TEST_FILES):
        return "test"
    if _like(path.name, LOADED_UNASKED) or any(_loaded_folder(part) for part in path.parts):
        return "loaded unasked"
    if path.name in RUNNER_FILES or section.path in command_files:
        return "test runner"
    if section.added and (module := top_module(section.path)) in SHADOWED and module not in modules:
        return "shadows a module"
    return None


def _like(name: str, patterns: Collection[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _loaded_folder(name: str) -> bool:
    return name == "__pycache__" or name.endswith(METADATA_FOLDERS)


def top_module(path: str) -> str | None:
    """Return the module that a file makes importable, where it lies on the import path by itself."""
    for root in ROOTS:
        first, _, rest = path.removeprefix(root).partition("/")
        if path.startswith(root) and (rest or first.endswith(".py")) and f"{first}/" not in ROOTS:
            return first.removesuffix(".py")
    return None


def reconfigures(path: str, before: bytes | None, after: bytes | None) -> bool:
    """Say whether a `setup.cfg` or `pyproject.toml` configures pytest or the build otherwise, or cannot be read."""
    read = _toml_settings if path.endswith(".toml") else _ini_settings
    try:
        return read((before or b"").decode()) != read((after or b"").decode())
    except (configparser.Error, ValueError, AttributeError):
        return True


def _toml_settings(text: str) -> object:
    data = tomllib.loads(text)
    plugins = data.get("project", {}).get("entry-points", {}).get("pytest11")
    return data.get("tool", {}).get("pytest"), plugins, data.get("build-system")


def _ini_settings(text: str) -> object:
    lines = text.splitlines()
    if lines != text.replace("\r\n", "\n").removesuffix("\n").split("\n") and text:
        raise ValueError("line ends that one reader sees and another does not")
    parser = configparser.RawConfigParser(delimiters=("=", ":"))
    parser.read_string("\n".join(lines))
    plugins = parser.get("options.entry_points", "pytest11", fallback=None)
    return {name: dict(parser[name]) for name in parser.sections() if "pytest" in name}, plugins, parser.defaults()
