"""Parsers of programs' own output, one for each family of programs."""
