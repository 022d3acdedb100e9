"""Studies: a file of workloads, environments and repetitions, run without ever losing a measurement."""
