"""Cron expressions: when they match, and what they say."""

from cronmatch.schedule import Schedule, parse

__all__ = ["Schedule", "parse"]
