"""Virtual machines' NICs: the effect of SR-IOV and of PCI passthrough on a fabric's link."""

from typing import NamedTuple

import msgspec

from linkworth.model.fabric import Fabric, SourceNote

_QDR_SECONDS = 1.6e-6
"""Half a round trip of a short message on the catalog's `ib-qdr`, the base of the published relative figures."""


class _Effect(NamedTuple):
    title: str
    added_latency_seconds: float
    bandwidth_share: float
    source: SourceNote


_FIELDS = ["link.latency_seconds", "link.bandwidth_bytes_per_second"]
_EFFECTS = {
    "sriov": _Effect(
        "SR-IOV",
        0.3 * _QDR_SECONDS,
        0.98,
        SourceNote(
            fields=_FIELDS,
            source="Lockwood, Irving, Papadopoulos, Tatineni, Wagner: SR-IOV: The Key Enabling Technology for Fully Virtualized "
            "HPC Clusters, SC13 (slideshare.net/glennklockwood/comet-sriov-sc13boothgkl): KVM with ConnectX-3 and QDR InfiniBand",
            date="2013-11",
            note="derived: below 30 % more time for messages under 128 B and under 2 % less bandwidth; the upper bounds are "
            "taken, and 30 % of a QDR message (1.6 us) is added to any fabric's latency",
        ),
    ),
    "passthrough": _Effect(
        "PCI passthrough",
        1.75e-6 - _QDR_SECONDS,
        1.0,
        SourceNote(
            fields=_FIELDS,
            source="Davda and Simons: RDMA on vSphere: Status and Future Directions, OpenFabrics Workshop "
            "(octo.vmware.com/rdma-on-vsphere-status-and-future-directions): 1.75 us half a round trip of a send in virtual "
            "machines with QDR InfiniBand passed through",
            date="2012-03",
            note="derived: 1.75 us less a QDR message without virtual machines (1.6 us, from other nodes), added to any fabric's "
            "latency; no loss of bandwidth is modelled, since none is published",
        ),
    ),
}
KINDS = tuple(_EFFECTS)
"""Kinds of isolation of an environment, written after `+` in a fabric's name."""


def virtualised(fabric: Fabric, kind: str) -> Fabric:
    """Return a fabric whose nodes are virtual machines that access the NIC by `kind`, one of KINDS."""
    effect = _EFFECTS[kind]
    link = msgspec.structs.replace(
        fabric.link,
        latency_seconds=fabric.link.latency_seconds + effect.added_latency_seconds,
        bandwidth_bytes_per_second=fabric.link.bandwidth_bytes_per_second * effect.bandwidth_share,
    )
    return msgspec.structs.replace(
        fabric,
        name=f"{fabric.name}+{kind}",
        title=f"{fabric.title}, virtual machines with {effect.title}",
        link=link,
        sources=[*fabric.sources, effect.source],
    )
