"""Reading a task's folder, as Terminal-Bench 2 has it."""

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.suites.terminal_task import TaskFile, archive, files_from_json, megabytes, read_task, read_tasks

TOML = """
version = "1.0"

[metadata]
author_name = "somebody"
difficulty = "hard"
category = "security"
tags = [ "a", "b",]
expert_time_estimate_min = 5.0

[verifier]
timeout_sec = 90.0

[agent]
timeout_sec = 750.0

[environment]
build_timeout_sec = 600.0
docker_image = "someone/some-task:20251031"
cpus = 2
memory = "4G"
storage = "10G"
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(**changes: str | bytes | None) -> Path:
        files: dict[str, str | bytes | None] = {
            "task.toml": TOML,
            "instruction.md": "Do it.\n",
            "environment/Dockerfile": "FROM debian\nWORKDIR /srv\nworkdir app\nCOPY data data\n",
            "environment/data/table.bin": b"\xff\x00",
            "tests/test.sh": "echo 1 >/logs/verifier/reward.txt\n",
            "solution/solve.sh": "true\n",
            **changes,
        }
        folder = tmp_path / "some-task"
        for path, content in files.items():
            if content is not None:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return write


def test_a_task_is_what_its_folder_says(write: Write) -> None:
    task = read_task(write())

    assert (task.name, task.instruction, task.solve) == ("some-task", "Do it.\n", "true\n")
    assert (task.settings.metadata.difficulty, task.settings.metadata.category) == ("hard", "security")
    assert (task.settings.agent.timeout_sec, task.settings.verifier.timeout_sec) == (750, 90)
    assert task.settings.environment.docker_image == "someone/some-task:20251031"
    assert (task.settings.environment.cpus, task.memory_mb, task.storage_mb) == (2, 4096, 10240)
    assert task.environment == {"data/table.bin": TaskFile(b"\xff\x00")}


def test_it_starts_where_the_last_workdir_says(write: Write) -> None:
    assert read_task(write()).workdir == "/srv/app"
    assert read_task(write(**{"environment/Dockerfile": "FROM debian\n"})).workdir == "/app"


def test_sizes_in_megabytes_come_before_words(write: Write) -> None:
    task = read_task(write(**{"task.toml": TOML.replace('"4G"', '"4G"\nmemory_mb = 512')}))
    assert (task.memory_mb, task.storage_mb) == (512, 10240)


@pytest.mark.parametrize(("size", "wanted"), [("2G", 2048), ("64M", 64), ("1.5gb", 1536)])
def test_a_size_is_a_number_of_megabytes(size: str, wanted: int) -> None:
    assert megabytes(size) == wanted


@pytest.mark.parametrize("size", ["2", "G", "2X", "-2G", ""])
def test_a_size_that_is_none_is_refused(size: str) -> None:
    with pytest.raises(UsageError, match="such as 2G"):
        megabytes(size)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task.toml": "[agent"}, "task.toml: not TOML"),
        ({"task.toml": "[agent]\ntimeout_sec = -1\n"}, r"task.toml: agent\.timeout_sec: .* got -1"),
        ({"instruction.md": None}, r"instruction\.md: cannot be read"),
        ({"instruction.md": b"\xff"}, r"instruction\.md: cannot be read"),
        ({"environment/Dockerfile": None}, "Dockerfile: cannot be read"),
        ({"tests/test.sh": None}, r"no tests/test\.sh"),
    ],
)
def test_a_folder_that_is_not_whole_is_refused(write: Write, changes: dict[str, str | bytes | None], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_task(write(**changes))


@pytest.mark.parametrize(
    "path",
    ["task.toml", "instruction.md", "environment/Dockerfile", "environment/new", "tests/test.sh", "solution/solve.sh"],
)
def test_whatever_changes_the_digest_notices(write: Write, path: str) -> None:
    before = read_task(write()).digest()
    changed = TOML.replace("750", "751") if path == "task.toml" else "something else\n"
    assert read_task(write(**{path: changed})).digest() != before


def test_what_python_leaves_behind_is_not_part_of_a_task(write: Write) -> None:
    before = read_task(write()).digest()
    assert read_task(write(**{"tests/__pycache__/x.pyc": "x"})).digest() == before


def test_every_task_of_a_folder_is_read_by_name(write: Write) -> None:
    assert list(read_tasks(write().parent)) == ["some-task"]


def test_files_survive_json(write: Write) -> None:
    task = read_task(write(**{"tests/shot.png": b"\x89PNG\xff"}))
    assert files_from_json(json.loads(json.dumps(task.grading()))["tests"]) == task.tests


def test_an_archive_depends_on_the_files_alone() -> None:
    one, two = TaskFile(b"1"), TaskFile(b"2", executable=True)
    packed = archive({"b": one, "a/c": two})

    assert packed == archive({"a/c": two, "b": one})
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        assert [(each.name, each.mode, each.uid) for each in tar] == [("a/c", 0o755, 0), ("b", 0o644, 0)]
