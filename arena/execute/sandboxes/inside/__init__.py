"""The resident helper: what runs as process 1 of a sandbox.

Only these modules enter a sandbox, as compiled code, and they import nothing but each other and the fast part of the
standard library: each avoided import is a millisecond off every start.
"""
