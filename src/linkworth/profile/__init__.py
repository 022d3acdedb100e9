"""What a trace says of a program: shares, calls, sizes, who talks to whom, efficiencies, group of network dependence."""

from linkworth.profile.of_trace import group_of, of_trace

__all__ = ["group_of", "of_trace"]
