"""Statistics of repeated runs: pure functions of numbers, numpy imported on use."""

from linkworth.model.statistics import Bimodality, Bounds, Comparison, Description, Verdict, WarmUp
from linkworth.statistics.compare import compare
from linkworth.statistics.describe import describe

__all__ = ["Bimodality", "Bounds", "Comparison", "Description", "Verdict", "WarmUp", "compare", "describe"]
