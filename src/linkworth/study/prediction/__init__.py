"""Predictions of a study: which fabric and library each follows, and the replays that make them."""
