"""A small template engine."""

from stencilet.engine import Engine
from stencilet.errors import TemplateError

__all__ = ["Engine", "TemplateError"]
