"""Single runs of a study: their places, their attempts, and what a failed one leaves behind."""
