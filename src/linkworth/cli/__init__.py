"""Command line: one file for each verb, no logic."""

import sys


def entry() -> None:
    """Console script: run the command line and leave with its exit code."""
    from linkworth.cli.main import main

    sys.exit(main())
