"""Known fabrics, machines, prices and bundled programs, each number with its source and date."""
