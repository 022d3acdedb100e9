"""What a run gives: times, states and what programs say of themselves."""
