"""What this machine has: MPIs and compilers, schedulers, kernel features, networks, clocks."""
