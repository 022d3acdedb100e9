"""MPI installations: found, asked what they are, and given the native parts built for them."""
