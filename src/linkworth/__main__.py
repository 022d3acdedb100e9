"""`python -m linkworth`."""

from linkworth.cli import entry

entry()
