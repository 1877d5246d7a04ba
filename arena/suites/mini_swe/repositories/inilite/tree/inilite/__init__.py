"""Read and write INI files."""

from inilite.document import Document, Section
from inilite.reader import IniError, loads
from inilite.writer import dumps

__all__ = ["Document", "IniError", "Section", "dumps", "loads"]
