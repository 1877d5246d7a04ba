"""Outputs of stages, shared by all cells: `store/<stage>/<key>/`, each made once under a lock.

A key is the digest of only the inputs that the stage reads. A slot is done when its `record.json` is there; what a
killed process left without one is the next attempt's resume point.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import RecordError
from arena.records.files import read_json, write_json
from arena.spec.canonical import digest_of


def stage_key(stage: str, inputs: Mapping[str, object]) -> str:
    """Return the sha256 of a stage's name and its inputs."""
    return digest_of({"stage": stage, "inputs": inputs})


@dataclass(frozen=True)
class Slot:
    """One stage's place in the store, held by this process alone."""

    stage: str
    key: str
    folder: Path

    @property
    def _record_file(self) -> Path:
        return self.folder / "record.json"

    @property
    def output(self) -> Path:
        """The folder for what the stage makes; kept between attempts."""
        return self.folder / "output"

    @property
    def record(self) -> Mapping[str, Any] | None:
        """What came out, or none if the stage is not done."""
        if not self._record_file.exists():
            return None
        data = read_json(self._record_file)
        if not isinstance(data, dict) or data.get("stage") != self.stage or data.get("key") != self.key:
            raise RecordError(
                f"{self._record_file}: not the record of this {self.stage} stage; remove the folder to make it again"
            )
        record: Mapping[str, Any] = data["record"]
        return record

    def finish(self, inputs: Mapping[str, object], record: Mapping[str, object]) -> None:
        """Say that the stage is done; from here on nobody makes it again."""
        write_json(
            self._record_file,
            {"stage": self.stage, "key": self.key, "inputs": dict(inputs), "record": dict(record)},
        )


@dataclass(frozen=True)
class Store:
    """The folder that the stages of all runs share."""

    root: Path

    def slot(self, stage: str, key: str) -> Slot:
        """Return the slot without holding it, to read what is there."""
        return Slot(stage, key, self.root / stage / key)

    @contextmanager
    def held(self, stage: str, key: str, *, on_wait: str = "") -> Iterator[Slot]:
        """Hold the slot's lock while the block runs; another process that wants the same slot waits."""
        slot = self.slot(stage, key)
        slot.output.mkdir(parents=True, exist_ok=True)
        with (slot.folder / "lock").open("a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if on_wait:
                    print(on_wait, flush=True)
                fcntl.flock(lock, fcntl.LOCK_EX)
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield slot
