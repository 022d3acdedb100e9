"""Writes the configuration of real hosts and containers that makes the environment of a lab on them, a file per format."""
