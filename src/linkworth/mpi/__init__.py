"""MPI installations: their search, their identification, and the native parts built for them."""
