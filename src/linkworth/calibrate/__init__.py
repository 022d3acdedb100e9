"""Fits a fabric to measured micro-benchmarks by replaying the same benchmarks."""
