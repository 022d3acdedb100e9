"""Writers of configurations that reproduce a lab on real hosts and containers, one module per format."""
