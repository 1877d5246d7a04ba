"""Tables for terminals and text files."""

from gridtext.columns import Column
from gridtext.table import Table

__all__ = ["Column", "Table"]
