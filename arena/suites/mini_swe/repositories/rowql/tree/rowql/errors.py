class QueryError(ValueError):
    """A query that cannot be read or carried out."""
