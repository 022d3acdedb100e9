"""Progress bars on standard error, where that is a terminal."""

import sys

from rich.progress import Progress, ProgressColumn

from linkworth.cli.output import SafeConsole, is_live


def started_bar(*columns: ProgressColumn) -> Progress | None:
    """Return a bar of these columns that is shown and goes away when it is stopped; None where there is no terminal."""
    if not is_live():
        return None
    bar = Progress(*columns, console=SafeConsole(sys.stderr), transient=True)
    bar.start()
    return bar
