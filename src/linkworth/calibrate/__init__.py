"""Fits a fabric to measured micro-benchmarks, by what the replay predicts for the same benchmarks."""
