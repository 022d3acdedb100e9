"""Tables of labs for a person."""

from collections.abc import Sequence

from linkworth import units
from linkworth.cli.table import Table
from linkworth.lab.check import LabCheck
from linkworth.lab.report import AboutLab, sentence


def labs_table(known: Sequence[AboutLab]) -> Table:
    """Return the labs that are up."""
    return Table(
        ["lab", "description~", "ends", "programs>"],
        [
            [
                lab.name,
                sentence(lab.spec),
                "lab down" if lab.stays else "with its run",
                str(sum(node.processes for node in lab.nodes)),
            ]
            for lab in known
        ],
    )


def check_table(found: LabCheck) -> Table:
    """Return the specified and the delivered figures of each NIC."""
    rows = []
    for nic in found.nics:
        specified = nic.asked_bits_per_second
        rows.append(
            [
                nic.nic,
                units.bit_rate(specified),
                units.bit_rate(nic.delivered_bits_per_second),
                units.change(nic.delivered_bits_per_second / specified - 1) if specified else "",
                units.bit_rate(nic.payload_bits_per_second),
                units.duration(nic.asked_latency_seconds),
                units.duration(nic.latency_seconds),
                units.duration(nic.median_latency_seconds),
                "within limits" if nic.passed else f"OUT OF LIMITS, {nic.tries} tries",
            ]
        )
    rates = ["specified rate>", "delivered rate>", "off by>", "payload rate>"]
    latencies = ["specified latency>", "delivered latency>", "median latency>"]
    return Table(["NIC", *rates, *latencies, "verdict~"], rows)
