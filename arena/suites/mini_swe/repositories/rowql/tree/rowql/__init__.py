"""A tiny query language for lists of dictionaries."""

from rowql.errors import QueryError
from rowql.running import query

__all__ = ["QueryError", "query"]
