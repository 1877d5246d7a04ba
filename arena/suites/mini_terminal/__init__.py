"""Small tasks of the terminal that are written for this repository, in Terminal-Bench 2's own format."""

from arena.suites.mini_terminal.suite import suite

__all__ = ["suite"]
