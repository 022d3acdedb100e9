"""Waits until both ends of bonds agree on their links by LACP. A bond of mode 802.3ad carries nothing before.

Run in the place of the bonds: `python -m linkworth.lab.lacp IP_COMMAND BOND...`.
"""

import json
import subprocess
import sys
import time

LIMIT_SECONDS = 120.0
"""Agreement takes about 3 s with fast LACP (IEEE 802.1AX-2020, 6.4.4), and more on a busy machine."""
PAUSE_SECONDS = 0.1
COLLECTING_AND_DISTRIBUTING = 0x30
"""Bits 4 and 5 of a port's state (IEEE 802.1AX-2020, 6.4.2.3)."""


def waiting(shown: str) -> list[str]:
    """Return the NICs that do not yet carry data both ways. `shown`: JSON of `ip -details link show`."""
    return [
        link["ifname"]
        for link in json.loads(shown or "[]")
        if not _carries(link.get("linkinfo", {}).get("info_slave_data", {}))
    ]


def _carries(port: dict[str, object]) -> bool:
    states = (port.get("ad_actor_oper_port_state"), port.get("ad_partner_oper_port_state"))
    return all(
        isinstance(state, int) and state & COLLECTING_AND_DISTRIBUTING == COLLECTING_AND_DISTRIBUTING
        for state in states
    )


def main(ip: str, bonds: list[str]) -> int:
    """Wait for every bond. Return 0, or 1 with a sentence on standard error if one does not agree in time."""
    until = time.monotonic() + LIMIT_SECONDS
    for bond in bonds:
        while True:
            shown = subprocess.run(
                [ip, "-json", "-details", "link", "show", "master", bond],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            missing = waiting(shown)
            if not missing:
                break
            if time.monotonic() > until:
                names = ", ".join(missing)
                sys.stderr.write(
                    f"{bond} did not agree with its partner about {names} in {LIMIT_SECONDS:.0f} s\n"
                )
                return 1
            time.sleep(PAUSE_SECONDS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
