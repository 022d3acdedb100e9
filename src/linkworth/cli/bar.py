"""Progress bars on standard error, if that is a terminal."""

import sys

from rich.progress import Progress, ProgressColumn

from linkworth.cli.output import SafeConsole, is_live


def started_bar(*columns: ProgressColumn) -> Progress | None:
    """Return a started bar of these columns, which disappears when stopped; None without a terminal."""
    if not is_live():
        return None
    bar = Progress(*columns, console=SafeConsole(sys.stderr), transient=True)
    bar.start()
    return bar
