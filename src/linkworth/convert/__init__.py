"""Traces in the formats of other tools: a module a format, and `convert` that finds it."""

from linkworth.convert.formats import ALIASES, FORMATS, recognise, sources, targets
from linkworth.convert.run import convert

__all__ = ["ALIASES", "FORMATS", "convert", "recognise", "sources", "targets"]
