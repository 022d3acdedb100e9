"""Traces in the formats of other tools: one module for each format, and `convert`, which selects it."""

from linkworth.convert.formats import ALIASES, FORMATS, recognise, targets
from linkworth.convert.run import convert

__all__ = ["ALIASES", "FORMATS", "convert", "recognise", "targets"]
