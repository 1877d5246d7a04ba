"""Compare texts line by line, write and apply patches."""

from linediff.applying import PatchError, apply
from linediff.unified import unified

__all__ = ["PatchError", "apply", "unified"]
