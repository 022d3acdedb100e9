"""Replays a trace on a fabric: the native engine behind the model's types."""
