"""The nouns as plain typed structs: no behaviour, SI units (seconds, bytes, bytes per second, US dollars)."""
