"""Replay predictions for the tests of lw-netbench: their own messages on another network."""
