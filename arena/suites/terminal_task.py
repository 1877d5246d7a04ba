"""Terminal-Bench 2's task format: a folder that says what to do, where, for how long, and how it is judged.

NAME/
  task.toml           limits and resources, difficulty, category
  instruction.md      what the agent is told
  environment/        Dockerfile, and the files that it copies
  tests/test.sh       runs after the agent and writes a reward into /logs/verifier
  solution/solve.sh   solves the task
"""

import base64
import hashlib
import io
import json
import re
import tarfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arena.errors import UsageError

TEST_SCRIPT = "test.sh"
SOLUTION_SCRIPT = "solve.sh"
OF_THE_IMAGE = frozenset({"Dockerfile", ".dockerignore", "docker-compose.yaml"})
"""Files of an environment that say how an image is built, and are not for the agent."""

FILE_TIME = 1_704_067_200
"""The start of 2024, for every file: zip archives know no time before 1980."""

UNITS_MB = {"M": 1, "MB": 1, "G": 1024, "GB": 1024, "T": 1024 * 1024}


class _Section(BaseModel):
    """A table of task.toml; keys that decide nothing here are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True)


class Metadata(_Section):
    difficulty: str = "unknown"
    category: str = "unknown"
    tags: tuple[str, ...] = ()


class Timed(_Section):
    timeout_sec: float = Field(600.0, gt=0)
    env: Mapping[str, str] = {}


class Machine(_Section):
    """What the task's image is given; sizes are words such as `2G` in the older form, megabytes in the newer."""

    docker_image: str | None = None
    cpus: float = Field(1.0, gt=0)
    memory: str = "2G"
    memory_mb: int | None = Field(None, gt=0)
    storage: str = "10G"
    storage_mb: int | None = Field(None, gt=0)
    allow_internet: bool = True


class Settings(_Section):
    """A task.toml."""

    metadata: Metadata = Metadata()
    agent: Timed = Timed()
    verifier: Timed = Timed()
    environment: Machine = Machine()


@dataclass(frozen=True)
class TaskFile:
    content: bytes
    executable: bool = False


Files = Mapping[str, TaskFile]
"""Files by their path below a folder."""


@dataclass(frozen=True)
class TerminalTask:
    """A task as its folder has it."""

    name: str
    instruction: str
    settings: Settings
    dockerfile: str
    environment: Files
    """What the image is built from, less what says how."""
    tests: Files
    solution: Files

    @property
    def workdir(self) -> str:
        """Where the image starts commands: the last `WORKDIR` of its Dockerfile, or `/app` where it has none."""
        folder = PurePosixPath("/app")
        for line in re.findall(r"^\s*WORKDIR\s+(\S+)", self.dockerfile, re.MULTILINE | re.IGNORECASE):
            folder = PurePosixPath("/", folder, line.strip("\"'"))
        return str(folder)

    @property
    def memory_mb(self) -> int:
        machine = self.settings.environment
        return machine.memory_mb or megabytes(machine.memory)

    @property
    def storage_mb(self) -> int:
        machine = self.settings.environment
        return machine.storage_mb or megabytes(machine.storage)

    @property
    def solve(self) -> str | None:
        """The script that solves the task, where there is one."""
        script = self.solution.get(SOLUTION_SCRIPT)
        return None if script is None else script.content.decode()

    def digest(self) -> str:
        """Return the sha256 of everything that the task is."""
        files = {"environment": self.environment, "tests": self.tests, "solution": self.solution}
        data = {
            "name": self.name,
            "instruction": self.instruction,
            "settings": self.settings.model_dump(mode="json"),
            "dockerfile": self.dockerfile,
            **{kind: files_as_json(held) for kind, held in files.items()},
        }
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    def grading(self) -> dict[str, Any]:
        """Return what the scorer needs, as JSON."""
        return {
            "tests": files_as_json(self.tests),
            "verifier_timeout_s": self.settings.verifier.timeout_sec,
            "verifier_env": dict(self.settings.verifier.env),
        }


def read_tasks(folder: Path) -> Mapping[str, TerminalTask]:
    """Return every task below `folder`, by name; raises `UsageError` for one that is not whole."""
    return {path.parent.name: read_task(path.parent) for path in sorted(folder.glob("*/task.toml"))}


def read_task(folder: Path) -> TerminalTask:
    """Return the task in `folder`; raises `UsageError` where something is missing or wrong."""
    tests = _files(folder / "tests")
    if TEST_SCRIPT not in tests:
        raise UsageError(f"{folder}: no tests/{TEST_SCRIPT}; a task of Terminal-Bench 2 is judged by it")
    environment = _files(folder / "environment")
    return TerminalTask(
        name=folder.name,
        instruction=_text(folder / "instruction.md"),
        settings=_settings(folder / "task.toml"),
        dockerfile=_text(folder / "environment" / "Dockerfile"),
        environment={path: file for path, file in environment.items() if path not in OF_THE_IMAGE},
        tests=tests,
        solution=_files(folder / "solution"),
    )


def _settings(path: Path) -> Settings:
    try:
        return Settings.model_validate(tomllib.loads(_text(path)))
    except tomllib.TOMLDecodeError as cause:
        raise UsageError(f"{path}: not TOML: {cause}") from cause
    except ValidationError as cause:
        first = cause.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise UsageError(f"{path}: {key}: {first['msg']}, got {first['input']!r}") from cause


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf8")
    except (OSError, UnicodeDecodeError) as cause:
        raise UsageError(f"{path}: cannot be read: {cause}; a task of Terminal-Bench 2 has it") from cause


def _files(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): TaskFile(path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def megabytes(size: str) -> int:
    """Return a size such as `2G` in megabytes."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*", size)
    if found is None or found[2].upper() not in UNITS_MB:
        raise UsageError(f"a size is a number with M or G, such as 2G: got {size!r}")
    return max(1, round(float(found[1]) * UNITS_MB[found[2].upper()]))


def files_as_json(files: Files) -> dict[str, dict[str, object]]:
    return {path: _as_json(file) for path, file in sorted(files.items())}


def _as_json(file: TaskFile) -> dict[str, object]:
    try:
        said = {"text": file.content.decode()}
    except UnicodeDecodeError:
        said = {"base64": base64.b64encode(file.content).decode()}
    return {**said, "executable": file.executable}


def files_from_json(data: Mapping[str, Mapping[str, Any]]) -> Files:
    return {
        path: TaskFile(
            said["text"].encode() if "text" in said else base64.b64decode(said["base64"]), said["executable"]
        )
        for path, said in data.items()
    }


def archive(files: Files) -> bytes:
    """Return the files as a tar archive whose bytes depend on nothing else."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, file in sorted(files.items()):
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(file.content), 0o755 if file.executable else 0o644
            member.mtime = FILE_TIME
            tar.addfile(member, io.BytesIO(file.content))
    return packed.getvalue()
