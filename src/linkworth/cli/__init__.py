"""Command line: one file for each verb, no logic."""

import signal
import sys


def entry() -> None:
    """Console script: run the command line and leave with its exit code."""
    try:
        from linkworth.cli.main import main

        code = main()
    except KeyboardInterrupt:  # while modules are imported, which takes up to a second
        sys.stderr.write("linkworth: interrupted\n")
        code = 4
    # The interpreter only ends now. An interrupt would print a traceback, abort its threads and change the exit code.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(code)
