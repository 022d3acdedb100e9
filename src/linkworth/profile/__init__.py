"""Profile of a program from a trace: shares, calls, sizes, partners, efficiencies, group of network dependence."""

from linkworth.profile.build import build_profile, group_of

__all__ = ["build_profile", "group_of"]
