"""The Python that tasks see: the host's interpreter, and pytest with what it needs and nothing else."""

import compileall
import hashlib
import importlib.metadata
import json
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from py_compile import PycInvalidationMode

from arena.errors import UsageError
from arena.suites.environment import HostTree
from arena.suites.mini_swe.cache import built_once, cache_folder

PREFIX = "/opt/python"
"""Where the host's interpreter is seen when it does not live under /usr, which every sandbox shows."""

TESTENV = "/opt/testenv"
"""A virtual environment, so that nothing of the interpreter's own site-packages is seen."""

ROOT_DISTRIBUTION = "pytest"

LAYOUT = 3
"""Counted up when the same distributions are laid out otherwise, so that no old environment is taken for a new one."""


def trees() -> tuple[HostTree, ...]:
    """Return what is to be bound into a sandbox so that `python` there has pytest."""
    testenv = HostTree(source=str(_testenv()), target=TESTENV)
    if _prefix() == sys.base_prefix:
        return (testenv,)
    return (HostTree(source=sys.base_prefix, target=PREFIX), testenv)


def variables() -> tuple[tuple[str, str], ...]:
    """Return the environment variables that go with `trees`."""
    shared = (("LD_LIBRARY_PATH", f"{_prefix()}/lib"),) if sysconfig.get_config_var("Py_ENABLE_SHARED") else ()
    return (("PATH", f"{TESTENV}/bin:/usr/local/bin:/usr/bin:/bin"), ("PYTHONDONTWRITEBYTECODE", "1"), *shared)


def _prefix() -> str:
    """Return the interpreter's prefix inside a sandbox."""
    return sys.base_prefix if Path("/usr") in (Path(sys.base_prefix), *Path(sys.base_prefix).parents) else PREFIX


def _testenv() -> Path:
    distributions = list(_closure(ROOT_DISTRIBUTION))
    held = [(each.name, each.version) for each in distributions]
    key = hashlib.sha256(json.dumps([LAYOUT, _prefix(), sys.version, held]).encode()).hexdigest()
    return built_once(cache_folder() / "testenv" / key[:16], lambda folder: _build(folder, distributions))


def _closure(name: str) -> Iterator[importlib.metadata.Distribution]:
    """Yield the installed distribution and all that it requires here."""
    from packaging.requirements import Requirement

    waiting, seen = [name], {name}
    while waiting:
        distribution = importlib.metadata.distribution(waiting.pop())
        yield distribution
        for text in distribution.requires or ():
            requirement = Requirement(text)
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and requirement.name not in seen:
                seen.add(requirement.name)
                waiting.append(requirement.name)


def _build(folder: Path, distributions: list[importlib.metadata.Distribution]) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    for distribution in distributions:
        _copy(distribution, site)
    mode = PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(site, quiet=2, stripdir=str(folder), prependdir=TESTENV, invalidation_mode=mode)
    commands = folder / "bin"
    commands.mkdir()
    for name in ("python", "python3"):
        (commands / name).symlink_to(f"{_prefix()}/bin/{version}")
    (commands / "pytest").write_text(f"#!{TESTENV}/bin/python\nimport pytest\n\nraise SystemExit(pytest.main())\n")
    (commands / "pytest").chmod(0o755)
    (folder / "pyvenv.cfg").write_text(f"home = {_prefix()}/bin\ninclude-system-site-packages = false\n")


def _copy(distribution: importlib.metadata.Distribution, site: Path) -> None:
    files = [each for each in distribution.files or () if ".." not in each.parts and "__pycache__" not in each.parts]
    if not any(each.suffix == ".py" for each in files):
        raise UsageError(
            f"{distribution.name} {distribution.version} is not installed as files; reinstall it from a wheel"
        )
    for file in files:
        target = site.joinpath(*file.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(file.locate()), target)
