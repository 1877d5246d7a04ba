"""A run's records in the forms that others read: one exporter a file."""
