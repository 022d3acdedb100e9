"""Errors of the replay's model, from its misses of published figures."""

import functools
import math
from typing import Literal

import msgspec

from linkworth.catalog.decode import data_folder, decode, read_toml

Pattern = Literal["exchanges", "all-to-all", "collectives", "computation", "layout"]
"""Pattern to which most bytes of a program belong. `computation` stands for the speed of another machine's cores, and
`layout` for the power by which the ranks of a node slow each other down, beside what the model of its memory says."""
Technology = Literal["tcp", "rdma", ""]


class Misses(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Misses of one source's figures of one kind."""

    source: str
    pattern: Pattern
    technology: Technology = ""
    points: int
    spread: float
    """Bound of two thirds of the logarithms of measured over predicted, without their sign."""


class AllToAllStartup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A constant that some clusters have before the first all-to-all of long messages over RDMA."""

    seconds: float
    connections: int
    """Pairs of a rank of one node and a rank of another that took so long. Others are assumed to take their share."""
    share: float
    """Share of the clusters, for want of more."""
    source: str
    date: str


class ScalingErrors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Errors of scaled traces for each step of the rank count, as standard deviations of the logarithm."""

    computation: float
    short_computation: float
    """Error of the computation if the ranks of the largest recording computed less than 50 ms each."""
    distributions: float
    """Error of the time if messages are distributions."""
    programs: int
    """Number of programs by which they are known."""
    source: str
    date: str


class ModelErrors(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`model_errors.toml`."""

    date: str
    note: str
    prior: dict[Pattern, float]
    """Error that is assumed of a kind before any source is known, as a standard deviation of the logarithm."""
    prior_weight: float
    """Number of sources that the assumption counts as."""
    startup: AllToAllStartup
    scaling: ScalingErrors
    misses: list[Misses]

    def of(self, pattern: Pattern, technology: Technology = "") -> tuple[float, float]:
        """Return the scale and the degrees of freedom of a kind's error: Student's t of the logarithm of a factor."""
        found = [each for each in self.misses if (each.pattern, each.technology) == (pattern, technology)]
        weight = self.prior_weight + len(found)
        squares = self.prior_weight * self.prior[pattern] ** 2 + sum(each.spread**2 for each in found)
        return math.sqrt(squares / weight), weight

    def without(self, source: str) -> "ModelErrors":
        """Return the errors as they would be without a source."""
        return msgspec.structs.replace(self, misses=[each for each in self.misses if each.source != source])


@functools.cache
def model_errors() -> ModelErrors:
    """Return the errors that are part of linkworth."""
    path = data_folder() / "model_errors.toml"
    return decode(read_toml(path), ModelErrors, str(path))
