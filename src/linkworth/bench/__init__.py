"""Network micro-benchmarks: what can be measured, how a test is run, and what really carried its bytes."""
