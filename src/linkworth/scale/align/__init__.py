"""Corresponding calls of several recordings, although loops run differently often and ranks differ."""
