"""Scaling: recordings at small rank counts become a trace at a large one."""

from linkworth.scale.run import ScaleRequest, scale

__all__ = ["ScaleRequest", "scale"]
