"""Command line: one file for each verb, no logic."""

import sys


def entry() -> None:
    """Console script: run the command line and leave with its exit code."""
    try:
        from linkworth.cli.main import main

        code = main()
    except KeyboardInterrupt:  # while modules are imported, which takes up to a second
        sys.stderr.write("linkworth: interrupted\n")
        code = 4
    sys.exit(code)
