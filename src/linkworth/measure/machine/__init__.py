"""Inventory of this machine: MPIs and compilers, schedulers, kernel features, networks, clocks."""
