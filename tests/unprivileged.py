"""Commands as an ordinary user, also in tests that root runs."""

import os

NOBODY = 65534


def without_rights() -> list[str]:
    """Return words before a command that make it an ordinary user's, who may read the files of the tests."""
    if os.geteuid() != 0:
        return []
    keep = "-all,+dac_read_search"
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", f"--inh-caps={keep}",
            f"--ambient-caps={keep}", f"--bounding-set={keep}"]  # fmt: skip
