"""A project of one's own, run by the command line: a cell, its goal, a tiny checkpoint, a suite and a script."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from arena.records.run import RunRecord, find_run, load_run
from arena.spec.weights import weights_digest

ROOT = Path(__file__).resolve().parents[3]

SUITE = '''
"""Write the word that the task names into a file; graded by looking."""

import asyncio
import hashlib
import os

from arena.execute.serving.scripted import Call, Reply
from arena.suites.environment import BubblewrapEnvironment
from arena.suites.suite import SuiteTask


class Words:
    name = "words"
    scorer = "ownsuite:scorer"
    score_definition = "resolved/scored"

    def digest(self):
        return hashlib.sha256(b"words").hexdigest()

    def ids(self):
        return [f"w{i:03d}" for i in range(12)]

    def samples(self):
        return {}

    def tasks(self, ids):
        return [
            SuiteTask(id=i, prompt=f"write {i}", workdir="/workspace", group=i[:3], tier="1",
                      solution=f"echo {i} > word", grading={"word": i})
            for i in ids
        ]

    def environment(self, task):
        return BubblewrapEnvironment(disk_mb=16, memory_mb=256)

    grading_environment = environment


def suite():
    return Words()


def scorer():
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.util import sandbox

    @scorer(metrics=[mean()])
    def words():
        async def score(state, target):
            await asyncio.sleep(float(os.environ.get("WORDS_SECONDS", "0")))
            found = (await sandbox().exec(["cat", "/workspace/word"])).stdout
            ok = state.metadata["grading"]["word"] == found.strip()
            grade = "pass" if ok else "fail"
            return Score(value="C" if ok else "I", metadata={
                "grade": grade, "reason": None if ok else "tests_failed", "patch_digest": None,
                "grader_version": "words 1", "limits_kind": "test"})
        return score

    return words()


def script(turn):
    task = turn.episode.task
    if turn.number == 0:
        right = turn.rng.random() < 0.6
        return Reply(calls=(Call("bash", {"command": f"echo {task if right else 'nothing'} > /workspace/word"}),))
    return Reply(calls=(Call("submit", {"answer": ""}),))
'''

CELL = """
cell: own
goal: any
model: {base: toy, revision: "sha256:DIGEST"}
serve: {engine: scripted, args: {script: "ownsuite:script"}}
generate: {temperature: 0.0}
evaluate:
  - {suite: "ownsuite:suite", sample: all, replicates: 2, retries: 1}
"""


@dataclass(frozen=True)
class Project:
    """A folder with a cell that runs in seconds."""

    folder: Path

    @property
    def cell(self) -> Path:
        return self.folder / "cells" / "own.yaml"

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), "INSPECT_DISPLAY": "none"}

    def start(self, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
        """Start `arena` in the project's folder."""
        return subprocess.Popen(
            [sys.executable, "-m", "arena", *arguments],
            cwd=self.folder,
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def arena(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run `arena` to its end."""
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def run(self) -> RunRecord:
        return load_run(find_run(self.folder / "runs", "own"))

    def edit(self, old: str, new: str) -> None:
        text = self.cell.read_text()
        assert old in text
        self.cell.write_text(text.replace(old, new))

    def wait_for(self, pattern: str, seconds: float = 60) -> Path:
        """Wait until a file that matches `pattern` is there, and return it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := next(self.folder.glob(pattern), None):
                return found
            time.sleep(0.05)
        raise TimeoutError(pattern)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)


@pytest.fixture(scope="session")
def make_project() -> "Callable[[Path], Project]":
    return new_project


def new_project(folder: Path) -> Project:
    cells = folder / "cells"
    (cells / "goals").mkdir(parents=True)
    (cells / "goals" / "any.md").write_text("---\ndistillation: allowed\n---\nDo what you like.\n")
    (cells / "ownsuite.py").write_text(SUITE)
    digest = make_checkpoint(cells / "toy")
    (cells / "own.yaml").write_text(CELL.replace("DIGEST", digest))
    return Project(folder)


def make_checkpoint(folder: Path) -> str:
    """Write a checkpoint that no model could use and every digest can, and return its weights' digest."""
    folder.mkdir()
    config: dict[str, Any] = {"model_type": "qwen3", "eos_token_id": 0, "dtype": "float32"}
    added = [
        {"id": 0, "content": "<|endoftext|>", "special": True},
        {"id": 1, "content": "<|im_end|>", "special": True},
    ]
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(json.dumps({"added_tokens": added, "model": {}, "truncation": None}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|im_end|>"}))
    (folder / "chat_template.jinja").write_text("{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}")
    save_file({"w": np.arange(12, dtype=np.float32)}, folder / "model.safetensors")
    return weights_digest(folder).digest
