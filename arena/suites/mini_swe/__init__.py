"""Small repositories with real defects, graded as SWE-bench is."""

from arena.suites.mini_swe.suite import MiniSwe, suite

__all__ = ["MiniSwe", "suite"]
