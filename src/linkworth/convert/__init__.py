"""Traces in the formats of other tools: a module a format, and `convert` that finds it."""

from linkworth.convert.formats import FORMATS, sources, targets
from linkworth.convert.run import convert

__all__ = ["FORMATS", "convert", "sources", "targets"]
