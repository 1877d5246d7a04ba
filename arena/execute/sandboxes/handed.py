"""The descriptors that a new process inherits."""

import os
from contextlib import ExitStack

from arena.execute.sandboxes.memory_file import sealed_file


class Handed:
    """Descriptors that go to a new process; this process's own are closed by `close`."""

    def __init__(self) -> None:
        self.descriptors: list[int] = []
        self._owned = ExitStack()

    def give(self, descriptor: int) -> str:
        """Hand over `descriptor`; returns its number as an argument."""
        self._owned.callback(os.close, descriptor)
        self.descriptors.append(descriptor)
        return str(descriptor)

    def data(self, data: bytes) -> str:
        return self.give(sealed_file(data))

    def close(self) -> None:
        self._owned.close()
