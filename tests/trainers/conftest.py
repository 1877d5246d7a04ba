from importlib.resources import files
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny_coder() -> Path:
    return Path(str(files("arena") / "models" / "tiny_coder"))
