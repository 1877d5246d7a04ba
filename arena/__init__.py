"""The engine of the arena: reads a cell, runs it, keeps records, reports."""

__version__ = "0.1.0"
