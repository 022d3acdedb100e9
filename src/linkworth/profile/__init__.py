"""What a trace says of a program: shares, calls, sizes, who talks to whom, efficiencies, group of network dependence."""

from linkworth.profile.of_trace import of_trace

__all__ = ["of_trace"]
