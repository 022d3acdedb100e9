"""Assignment of a queue of programs to a limited number of nodes."""
