"""Who of a queue of programs runs on which of a limited number of nodes."""
