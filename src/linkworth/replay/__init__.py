"""Replay of a trace on a fabric: the native engine with the model's types."""
