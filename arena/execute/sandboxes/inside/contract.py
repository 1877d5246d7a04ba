"""What the helper is told, as types: for readers and the type checker only.

The helper never loads this module: `typing` alone would cost a third of a start. Its modules name these types in
quotes, and hold what they are given in plain dictionaries.
"""

from typing import TypedDict


class Folder(TypedDict):
    """A writable folder."""

    path: str
    mode: int
    owner: int


class Tree(TypedDict):
    """A part of the host that is seen read-only at `path`; `staged` is where bubblewrap put it."""

    path: str
    staged: str


class Etc(TypedDict):
    """The sandbox's /etc: what it shows of the host's, staged by bubblewrap, and the files of its own."""

    staged: str
    shown: list[str]
    written: dict[str, str]
    secret: dict[str, str]
    """Files that only root may read."""
    writable: bool


class Furniture(TypedDict):
    """What is to be where."""

    staging: str
    hidden: list[str]
    """Mounts that only the helper's own start needed."""
    disk_mb: int
    inodes: int
    folders: list[Folder]
    trees: list[Tree]
    etc: Etc


class House(TypedDict):
    """What holds for every request."""

    user: str
    workdir: str
    env: dict[str, str]
    rlimits: list[tuple[int, int]]
    one_user: bool
    """Only one user id exists in the sandbox: no other user can be had."""


class Blueprint(TypedDict):
    """Everything that the helper is told at its start."""

    furniture: Furniture
    house: House
    uid: int
    """The only user's id, where there is only one."""


class Request(TypedDict):
    """What the host asks for."""

    verb: str
    """`exec`, `read` or `write`."""
    command: list[str]
    file: str
    limit: int
    """Longest file that may be read, in bytes."""
    cwd: str | None
    user: str | None
    env: dict[str, str]
