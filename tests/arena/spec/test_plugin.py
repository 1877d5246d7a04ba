import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import CellError, HarnessError
from arena.spec.plugin import load, source_digest


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A project of one's own, with cells/ and two plug-ins; what it adds to Python is taken away again."""
    path, modules = list(sys.path), set(sys.modules)
    (tmp_path / "pyproject.toml").write_text("")
    cells = tmp_path / "cells"
    cells.mkdir()
    (tmp_path / "own_prompt_kit").mkdir()
    (tmp_path / "own_prompt_kit" / "__init__.py").write_text("")
    (tmp_path / "own_prompt_kit" / "plugin.py").write_text(
        "import json\nfrom yaml import safe_load\nfrom . import texts\n\ndef plugin(h): return texts.TEXT\nx = 3\n"
    )
    (tmp_path / "own_prompt_kit" / "texts.py").write_text("TEXT = 'be brief'\n")
    (tmp_path / "own_prompt_kit" / "prompt.md").write_text("Be brief.\n")
    (cells / "own_single_file.py").write_text("def plugin(harness):\n    import own_helper\n    return own_helper\n")
    (cells / "own_helper.py").write_text("import numpy\n")
    (cells / "own_bystander.py").write_text("import nothing\n")
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def refused(spec: str, folder: Path | None = None) -> str:
    with pytest.raises(CellError) as error:
        load(spec, folder)
    return str(error.value)


def test_a_plugin_of_ours_and_of_an_installed_package_is_loaded_by_name() -> None:
    assert load("solvers.react:solver").__name__ == "solver"
    assert load("yaml:safe_load").__name__ == "safe_load"


def test_a_module_beside_the_cell_or_above_it_is_importable(project: Path) -> None:
    assert load("own_prompt_kit.plugin:plugin", project / "cells")(None) == "be brief"
    assert load("own_single_file:plugin", project / "cells").__module__ == "own_single_file"


def test_nothing_above_the_projects_root_is_importable(project: Path) -> None:
    (project / "inner").mkdir()
    (project / "inner" / "pyproject.toml").write_text("")
    message = refused("own_prompt_kit.plugin:plugin", project / "inner")
    looked = f"looked in {project / 'inner'} and above, and among what is installed"
    assert message == (
        f"own_prompt_kit.plugin:plugin: no module 'own_prompt_kit'; {looked}; there are: scorers, solvers, trainers"
    )


def test_an_unknown_module_or_function_is_refused_with_the_nearest_one(project: Path) -> None:
    kit = project / "own_prompt_kit"
    cells = project / "cells"
    assert refused("solvers.reakt:solver").endswith("; did you mean 'solvers.react'?")
    assert refused("own_prompt_kit.plugins:plugin", cells) == (
        f"own_prompt_kit.plugins:plugin: no module 'own_prompt_kit.plugins' in {kit}; did you mean "
        "'own_prompt_kit.plugin'?"
    )
    assert refused("own_prompt_kit.plugin:plugni", cells) == (
        f"own_prompt_kit.plugin:plugni: no function 'plugni' in {kit / 'plugin.py'}; did you mean 'plugin'?"
    )
    assert refused("own_prompt_kit.plugin:x", cells) == (
        f"own_prompt_kit.plugin:x: that is no function in {kit / 'plugin.py'}; there are: plugin"
    )
    assert refused("own_helper.part:plugin", cells) == (
        f"own_helper.part:plugin: own_helper is one file, {cells / 'own_helper.py'}, and holds no module 'part'"
    )
    assert refused("own_promt_kit:plugin", cells).endswith("; did you mean 'own_prompt_kit'?")
    assert refused("solvers.react") == "expected module:function, such as solvers.react:solver, got 'solvers.react'"


def test_a_folder_that_has_the_name_of_an_installed_package_is_refused(project: Path) -> None:
    (project / "solvers").mkdir()
    (project / "solvers" / "mine.py").write_text("def solver(): ...\n")
    message = refused("solvers.mine:solver", project / "cells")
    assert message.startswith(f"solvers.mine:solver: solvers is in {project} and also in ")
    assert message.endswith("; rename the folder of your own")


def test_what_a_module_raises_when_imported_is_said_with_its_name(project: Path) -> None:
    (project / "own_broken.py").write_text("raise ValueError('no key')\n")
    with pytest.raises(HarnessError) as error:
        load("own_broken:plugin", project)
    assert str(error.value) == "own_broken:plugin: importing it failed: ValueError: no key"


def test_a_source_covers_the_whole_folder_and_the_packages_that_it_imports(project: Path) -> None:
    source = source_digest("own_prompt_kit.plugin:plugin", project / "cells")
    assert [name for name, _ in source.files] == [
        "own_prompt_kit/__init__.py",
        "own_prompt_kit/plugin.py",
        "own_prompt_kit/prompt.md",
        "own_prompt_kit/texts.py",
    ]
    assert [name for name, _ in source.packages] == ["pyyaml"]


def test_a_single_file_covers_what_it_imports_beside_it_and_no_bystander(project: Path) -> None:
    source = source_digest("own_single_file:plugin", project / "cells")
    assert [name for name, _ in source.files] == ["own_helper.py", "own_single_file.py"]
    assert [name for name, _ in source.packages] == ["numpy"]


@pytest.mark.parametrize("file", ["plugin.py", "texts.py", "prompt.md", "__init__.py"])
def test_one_changed_character_anywhere_changes_the_digest(project: Path, file: str) -> None:
    before = source_digest("own_prompt_kit.plugin:plugin", project)
    path = project / "own_prompt_kit" / file
    path.write_text(path.read_text() + " ")
    after = source_digest("own_prompt_kit.plugin:plugin", project)
    assert before.digest != after.digest
    assert before.files_digest != after.files_digest
    assert {name for name, digest in after.files if (name, digest) not in before.files} == {f"own_prompt_kit/{file}"}


def test_a_renamed_or_added_file_changes_the_digest_and_a_cache_does_not(project: Path) -> None:
    kit = project / "own_prompt_kit"
    before = source_digest("own_prompt_kit.plugin:plugin", project).digest
    load("own_prompt_kit.plugin:plugin", project)
    (kit / ".mypy_cache").mkdir()
    (kit / ".mypy_cache" / "x.json").write_text("{}")
    (kit / "__pycache__").mkdir(exist_ok=True)
    (kit / "__pycache__" / "texts.cpython-311.pyc").write_bytes(b"x")
    assert source_digest("own_prompt_kit.plugin:plugin", project).digest == before
    (kit / "prompt.md").rename(kit / "prompt2.md")
    renamed = source_digest("own_prompt_kit.plugin:plugin", project).digest
    (kit / "empty.txt").write_text("")
    assert len({before, renamed, source_digest("own_prompt_kit.plugin:plugin", project).digest}) == 3


def test_a_source_is_read_without_running_it(project: Path) -> None:
    (project / "own_bomb.py").write_text("raise SystemExit('run')\n")
    (project / "own_prompt_kit" / "__init__.py").write_text("raise SystemExit('run')\n")
    assert len(source_digest("own_bomb:plugin", project).files) == 1
    assert len(source_digest("own_prompt_kit.plugin:plugin", project).files) == 4


def test_a_file_that_python_cannot_parse_is_covered_all_the_same(project: Path) -> None:
    (project / "own_prompt_kit" / "template.py").write_text("def {{name}}(:\n")
    names = [name for name, _ in source_digest("own_prompt_kit.plugin:plugin", project).files]
    assert "own_prompt_kit/template.py" in names


def test_a_file_that_python_warns_of_is_still_looked_into(project: Path) -> None:
    (project / "own_regex.py").write_text("import yaml\nPATTERN = '\\d'\n")
    assert [name for name, _ in source_digest("own_regex:plugin", project).packages] == ["pyyaml"]


def test_an_installed_plugin_covers_its_distribution_and_what_that_requires() -> None:
    source = source_digest("hypothesis.strategies:integers")
    names = [name for name, _ in source.files]
    assert "hypothesis/strategies/__init__.py" in names
    assert any(name.endswith("METADATA") for name in names)
    assert not any("__pycache__" in name or name.endswith(".pyc") for name in names)
    assert {"hypothesis", "sortedcontainers"} <= dict(source.packages).keys()


def test_ours_covers_its_package_and_names_the_engine_by_its_version() -> None:
    source = source_digest("solvers.react:solver")
    assert {name.split("/")[0] for name, _ in source.files} == {"solvers"}
    assert {"arena-bench", "inspect-ai"} <= dict(source.packages).keys()
    part = source_digest("arena.spec.plugin:load")
    assert [name for name, _ in part.files] == ["plugin.py"]


def test_plugins_of_one_package_share_their_digest() -> None:
    assert source_digest("solvers.react:solver").digest == source_digest("solvers.tools:anything").digest


def test_a_packages_version_changes_the_digest_and_not_that_of_the_files(project: Path) -> None:
    site = project / "site-packages"
    metadata = site / "own_dist-1.0.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text("Metadata-Version: 2.1\nName: Own.Dist\nVersion: 1.0\n")
    (metadata.parent / "top_level.txt").write_text("own_dist\n")
    (site / "own_dist.py").write_text("")
    sys.path.append(str(site))
    (project / "own_user.py").write_text("import own_dist\n")
    before = source_digest("own_user:plugin", project)
    metadata.write_text("Metadata-Version: 2.1\nName: Own.Dist\nVersion: 1.1\n")
    after = source_digest("own_user:plugin", project)
    assert (before.packages, after.packages) == ((("own-dist", "1.0"),), (("own-dist", "1.1"),))
    assert before.files_digest == after.files_digest
    assert before.digest != after.digest


def test_importing_arena_spec_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from arena.spec import cell, check, claim, document, factors, goal, plan, plugin, sample, study\n"
        "heavy = {'torch', 'inspect_ai', 'transformers', 'numpy', 'swebench', 'datasets', 'pyarrow', 'rich', 'typer'}\n"
        "print(sorted(heavy & sys.modules.keys()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"
