"""Results of a run: times, states and figures from programs' own output."""
