"""Profile of a program from a trace: shares, calls, sizes, partners, efficiencies, group of network dependence."""

from linkworth.profile.of_trace import group_of, of_trace

__all__ = ["group_of", "of_trace"]
