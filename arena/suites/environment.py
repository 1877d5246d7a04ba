"""Where an episode's commands run: data that a suite gives and a sandbox carries out."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class HostTree(Frozen):
    """A folder of the host that is to be seen inside the sandbox."""

    source: str
    """Folder, file or `.tar` archive on the host."""
    target: str
    """Absolute path inside the sandbox."""
    mode: Literal["read_only", "copy"] = "read_only"
    """`read_only` binds it; `copy` gives the sandbox a writable copy of its own (an archive is unpacked)."""


class BubblewrapEnvironment(Frozen):
    """A sandbox with no daemon and no image: the host's read-only system and a private work tree."""

    kind: Literal["bubblewrap"] = "bubblewrap"
    trees: tuple[HostTree, ...] = ()
    workdir: str = "/workspace"
    """Where a command starts when nothing else is said."""
    user: str = "agent"
    env: tuple[tuple[str, str], ...] = ()
    network: bool = False
    memory_mb: int = Field(2048, gt=0)
    pids: int = Field(512, gt=0)
    cpus: float = Field(1.0, gt=0)
    disk_mb: int = Field(1024, gt=0)
    inodes: int = Field(200_000, gt=0)
    file_mb: int = Field(1024, gt=0)


class DockerEnvironment(Frozen):
    """A container of an image that is pinned by digest."""

    kind: Literal["docker"] = "docker"
    image: str
    """`name@sha256:…`; a tag alone is refused when the plan is made."""
    workdir: str = "/testbed"
    network: bool = False
    memory_mb: int = Field(4096, gt=0)
    cpus: float = Field(2.0, gt=0)


EnvironmentSpec = Annotated[BubblewrapEnvironment | DockerEnvironment, Field(discriminator="kind")]
