"""Public Python API, which `linkworth` exports. It calls the functions that the command line calls."""
