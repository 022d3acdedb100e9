"""The charts of a report, one a file, from one description each for SVG and PNG."""
