"""Demonstration of the whole tool: record three bundled programs, replay on four networks, price, report."""
