"""Charts of a report, one in each file, from one description each for SVG and PNG."""
