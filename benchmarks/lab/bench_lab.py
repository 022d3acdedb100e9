"""The emulated cluster: time to come up, what its links deliver against what was asked, and its clean-up.

The stated limits are 2 s for 4 nodes to come up, 3 % for the rate from 100 Mbit/s to 1 Gbit/s, and 15 us + 10 % for the latency.
The baseline of the payload is the same two programs over an unshaped lab.
"""

import shutil
import time

import msgspec

from linkworth import units
from linkworth.errors import EnvironmentLacksError
from linkworth.lab import check, labs
from linkworth.lab.spec import LabSpec

UP_LIMIT_SECONDS = 2.0
RATES = (100e6, 300e6, 1e9)
LATENCIES = (30e-6, 100e-6, 500e-6)
MTUS = (576, 1500, 4000, 9000)
NODES = (2, 4, 8, 16)


def come_up() -> None:
    print(f"{'nodes':>6} {'up, s':>8} {'down, s':>8} {'up / 2 s':>9}")
    for nodes in NODES:
        ups, downs = [], []
        for _ in range(3):
            began = time.monotonic()
            lab = labs.up(LabSpec(nodes=nodes, nics=2, rate=1e9))
            ups.append(time.monotonic() - began)
            began = time.monotonic()
            lab.close()
            downs.append(time.monotonic() - began)
        up, down = sorted(ups)[1], sorted(downs)[1]
        print(f"{nodes:>6} {up:>8.2f} {down:>8.2f} {up / UP_LIMIT_SECONDS:>9.2f}")


def deliver(title: str, spec: LabSpec) -> check.NicCheck | None:
    try:
        with labs.up(spec) as lab:
            found = check.check(lab).nics[0]
    except EnvironmentLacksError as error:
        print(f"{title:<28} not here: {error}")
        return None
    asked = found.asked_bits_per_second
    ratio = f"{found.delivered_bits_per_second / asked:6.3f}" if asked else "     -"
    print(
        f"{title:<28} {units.bit_rate(asked):>12} {units.bit_rate(found.delivered_bits_per_second):>13} {ratio} "
        f"{units.bit_rate(found.payload_bits_per_second):>13} {found.asked_latency_seconds * 1e6:>8.1f} "
        f"{found.latency_seconds * 1e6:>8.1f} {found.median_latency_seconds * 1e6:>8.1f}  {'ok' if found.passed else 'MISS'}"
    )
    return found


def main() -> None:
    come_up()
    print(
        f"\n{'link':<28} {'asked':>12} {'delivered':>13} {'ratio':>6} {'payload':>13} {'asked':>8} {'latency':>8} {'median':>8}"
    )
    print(f"{'':<28} {'':>12} {'on the wire':>13} {'':>6} {'':>13} {'us':>8} {'us':>8} {'us':>8}")
    base = LabSpec(nodes=2)
    bare = deliver("unshaped (baseline)", base)
    for rate in RATES:
        found = deliver(units.bit_rate(rate), msgspec.structs.replace(base, rate=rate))
        if bare and found:
            share = found.payload_bits_per_second / bare.payload_bits_per_second
            print(f"{'':<28} payload / unshaped payload {share:.4f}")
    for latency in LATENCIES:
        deliver(f"1 Gbit/s +{latency * 1e6:g} us", msgspec.structs.replace(base, rate=1e9, latency=latency))
    for mtu in MTUS:
        deliver(f"1 Gbit/s MTU {mtu}", msgspec.structs.replace(base, rate=1e9, mtu=mtu))
    for rate in (2.5e9, 10e9):
        deliver(f"{units.bit_rate(rate)} (no limit stated)", msgspec.structs.replace(base, rate=rate))


if __name__ == "__main__":
    if shutil.which("nsenter") is None:
        raise SystemExit("SKIPPED: nsenter is not installed")
    main()
