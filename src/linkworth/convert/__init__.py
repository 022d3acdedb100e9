"""Traces in the formats of other tools: a file a target, and `convert` that finds it."""

from linkworth.convert.run import TARGETS, convert

__all__ = ["TARGETS", "convert"]
