"""Checks a place after a failed run: the program's end alone rarely shows a lost node or link."""

import subprocess

from linkworth.lab.site import LabSite
from linkworth.launch.site import Site

ANSWER_SECONDS = 60.0
"""Time limit for an answer; a lost node usually refuses at once, and a machine may be busy."""


def losses(site: Site) -> list[str]:
    """Return a sentence on each lost node and each link that is down; none for places that cannot be checked."""
    if not isinstance(site, LabSite):
        return []
    found = []
    for node in site.nodes:
        states = _link_states(site, node)
        if states is None:
            found.append(f"{node} is gone")
            continue
        found += [f"the link {nic} of {node} is down" for nic, up in states.items() if not up]
    return found


def _link_states(site: LabSite, node: str) -> dict[str, bool] | None:
    """Return which data NICs of a node are up; None if the node does not answer."""
    nics = site.lab.spec.nic_names
    files = [f"/sys/class/net/{nic}/operstate" for nic in nics]
    try:
        done = subprocess.run(
            site.lab.enter(node, ["cat", *files]),
            capture_output=True,
            text=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.split()
    if len(words) != len(nics):
        # A node that answers without a NIC (a file is missing) differs from a lost node.
        return None if not words else dict.fromkeys(nics, False)
    return {nic: word != "down" for nic, word in zip(nics, words, strict=True)}
