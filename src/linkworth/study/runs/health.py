"""Checks a place after a failed run: the program's end alone rarely shows a lost node or link."""

import subprocess

from linkworth.lab.place import LabPlace
from linkworth.places.place import OpenPlace

ANSWER_SECONDS = 60.0
"""Time limit for an answer; a lost node usually refuses at once, and a machine may be busy."""


def losses(opened: OpenPlace) -> list[str]:
    """Return a sentence on each lost node and each link that is down; none for places that cannot be checked."""
    if not isinstance(opened, LabPlace):
        return []
    found = []
    for node in opened.nodes:
        states = _link_states(opened, node)
        if states is None:
            found.append(f"{node} is gone")
            continue
        found += [f"the link {nic} of {node} is down" for nic, up in states.items() if not up]
    return found


def _link_states(opened: LabPlace, node: str) -> dict[str, bool] | None:
    """Return which data NICs of a node are up; None if the node does not answer."""
    nics = opened.lab.spec.nic_names
    files = [f"/sys/class/net/{nic}/operstate" for nic in nics]
    try:
        done = subprocess.run(
            opened.lab.enter(node, ["cat", *files]),
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
