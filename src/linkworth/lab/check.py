"""Measures what the links of a lab deliver and compares it with the specification."""

import contextlib
import json
import math
import subprocess
import sys

import msgspec

from linkworth.errors import LinkworthError, UsageError
from linkworth.lab import addresses
from linkworth.lab.labs import Lab
from linkworth.lab.links import ETHERNET_HEADER, FRAME_OVERHEAD
from linkworth.lab.spec import LabSpec

RATE_TOLERANCE = 0.03
LATENCY_TOLERANCE_SECONDS = 15e-6
LATENCY_TOLERANCE_SHARE = 0.10
RATE_SECONDS = 1.0
RATE_PACKETS = 100
"""Packets that must pass at least, since a packet more or less may not count as a deviation of the rate."""
LONGEST_RATE_SECONDS = 30.0
LATENCY_SECONDS = 0.2
TRIES = 3
"""Number of tries. The best one counts, since a busy machine delivers less than the link can."""
HEADERS = 52
"""Bytes of an IP packet that are no payload: IPv4 20, TCP 20, its timestamps 12 (RFC 791, 9293, 7323)."""
PATIENCE_SECONDS = 60.0


class NicCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One NIC's link from the first node to the second."""

    nic: str
    asked_bits_per_second: float | None
    delivered_bits_per_second: float
    """Rate on the wire with all headers, like the specified rate."""
    payload_bits_per_second: float
    """Rate of a program's data over TCP."""
    asked_latency_seconds: float
    latency_seconds: float
    """One-way latency: half the round trip of a short message, at the fastest tenth."""
    median_latency_seconds: float
    """The same for the median, which is longer on a busy machine."""
    tries: int
    passed: bool


class LabCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Results of all NICs."""

    schema: str = "linkworth.lab-check/1"
    lab: str
    passed: bool
    nics: list[NicCheck]


def check(lab: Lab) -> LabCheck:
    """Measure every NIC between the first two nodes, one after the other.

    Raises UsageError for a lab of one node or of bonds, LinkworthError if the nodes cannot reach each other.
    """
    if lab.spec.nodes < 2:
        raise UsageError(f"the lab {lab.name} has one node; a link to check needs two")
    if lab.spec.nics > 1 and lab.spec.aggregate == "bond":
        raise UsageError(
            f"the NICs of the lab {lab.name} are bonded, so that none can be checked alone; measure the bond with "
            "linkworth bench"
        )
    nics = [_check_nic(lab, nic) for nic in range(lab.spec.nics)]
    return LabCheck(lab=lab.name, passed=all(nic.passed for nic in nics), nics=nics)


def _check_nic(lab: Lab, nic: int) -> NicCheck:
    best: NicCheck | None = None
    for number in range(1, TRIES + 1):
        tried = _measure(lab, nic, number)
        if best is None or _miss(tried, lab.spec) < _miss(best, lab.spec):
            best = tried
        if best.passed:
            break
    assert best is not None
    return msgspec.structs.replace(best, tries=number)


def _measure(lab: Lab, nic: int, number: int) -> NicCheck:
    spec = lab.spec
    rate = _probe(lab, nic, "rate", rate_seconds(spec))
    latency = _probe(lab, nic, "latency", LATENCY_SECONDS)
    payload = rate["bytes"] * 8 / max(rate["seconds"], 1e-9)
    asked_latency = spec.link_latency or 0.0
    measured = NicCheck(
        nic=spec.nic_names[nic],
        asked_bits_per_second=spec.link_rate,
        delivered_bits_per_second=payload * wire_bytes_per_payload_byte(spec),
        payload_bits_per_second=payload,
        asked_latency_seconds=asked_latency,
        latency_seconds=latency["tenth"] / 2,
        median_latency_seconds=latency["median"] / 2,
        tries=number,
        passed=False,
    )
    return msgspec.structs.replace(measured, passed=_miss(measured, spec) <= 1.0)


def rate_seconds(spec: LabSpec) -> float:
    """Return how long the rate is measured: on a slow link until enough packets have passed."""
    if spec.link_rate is None:
        return RATE_SECONDS
    needed = RATE_PACKETS * spec.packet_bytes * 8 / spec.link_rate
    return min(max(RATE_SECONDS, needed), LONGEST_RATE_SECONDS)


def wire_bytes_per_payload_byte(spec: LabSpec) -> float:
    """Return how many bytes of an Ethernet link a byte of a long TCP stream takes."""
    return (spec.packet_bytes + ETHERNET_HEADER + FRAME_OVERHEAD) / (spec.packet_bytes - HEADERS)


def _miss(measured: NicCheck, spec: LabSpec) -> float:
    """The worse of the two deviations, relative to the allowed one.

    A short message takes time on a slow wire, and a moderated NIC may hold a frame for its period.
    """
    allowed = LATENCY_TOLERANCE_SECONDS + LATENCY_TOLERANCE_SHARE * measured.asked_latency_seconds
    more = measured.latency_seconds - measured.asked_latency_seconds
    on_the_wire = (HEADERS + ETHERNET_HEADER + FRAME_OVERHEAD) * 8 / (spec.link_rate or math.inf)
    late = max(-more, more - on_the_wire - spec.moderation * spec.dilate) / allowed
    if measured.asked_bits_per_second is None:
        return late
    slow = abs(measured.delivered_bits_per_second / measured.asked_bits_per_second - 1) / RATE_TOLERANCE
    return max(late, slow)


def _probe(lab: Lab, nic: int, measure: str, seconds: float) -> dict[str, float]:
    """Run the two ends in the first two nodes. Raises LinkworthError if they do not connect."""
    first, second = lab.spec.node_names[:2]
    name = lab.spec.nic_names[nic]
    words = [sys.executable, "-P", "-m", "linkworth.lab.probe", measure, str(seconds), name]
    receiver = subprocess.Popen(
        lab.enter(second, words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    sender: subprocess.Popen[str] | None = None
    try:
        assert receiver.stdout is not None
        port = receiver.stdout.readline().strip()
        address = f"{addresses.data_address(nic, 2)}:{port}"
        sender = subprocess.Popen(lab.enter(first, [*words, address]), stderr=subprocess.PIPE, text=True)
        said, _ = receiver.communicate(timeout=PATIENCE_SECONDS)
        sender.communicate(timeout=PATIENCE_SECONDS)
        measured: dict[str, float] = json.loads(said)
    except (subprocess.TimeoutExpired, ValueError):
        raise LinkworthError(
            f"the lab {lab.name}: no measurement between {first} and {second} over {name}"
        ) from None
    finally:
        for process in (receiver, sender):
            if process is not None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                process.communicate()
    return measured
