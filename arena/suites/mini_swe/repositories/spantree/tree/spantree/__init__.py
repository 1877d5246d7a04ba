"""Intervals: kept in a tree, combined, and scheduled."""

from spantree.span import Span
from spantree.tree import SpanTree

__all__ = ["Span", "SpanTree"]
