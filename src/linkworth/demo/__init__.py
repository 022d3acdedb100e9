"""The whole way once: three bundled programs recorded here, replayed on four networks, priced, reported."""
