"""Network micro-benchmarks: their tests, how each is run, and which NICs carried its bytes."""
