"""Bundled programs recorded without running them: their real communication, and counted computation."""

from linkworth.skeleton.program import Program, parse
from linkworth.skeleton.rates import RateRequest, rates_for
from linkworth.skeleton.record import record_skeleton

__all__ = ["Program", "RateRequest", "parse", "rates_for", "record_skeleton"]
