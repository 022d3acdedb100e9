"""Linkworth: what every network is worth to an MPI program, from one recorded run."""

__version__ = "0.1.0"
