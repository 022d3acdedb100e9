"""Traces: recording, reading, merging."""
