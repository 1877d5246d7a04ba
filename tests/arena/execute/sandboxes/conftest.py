from collections.abc import AsyncIterator

import pytest

from arena.execute.sandboxes.open import open_sandbox, probe
from arena.suites.environment import BubblewrapEnvironment


@pytest.fixture(scope="session", autouse=True)
def _sandboxes_work() -> None:
    found = probe()
    if not found.works:
        pytest.skip(f"no sandbox can be made here: {found.reason}")


@pytest.fixture
async def sandbox() -> AsyncIterator[object]:
    """A small sandbox: limits that a test reaches in seconds."""
    small = BubblewrapEnvironment(memory_mb=256, pids=64, disk_mb=64, inodes=5000, file_mb=48, cpus=1.0)
    async with open_sandbox(small) as opened:
        yield opened
