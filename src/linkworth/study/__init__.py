"""Studies: a file of workloads, environments and repetitions, run so that nothing measured is ever lost."""
