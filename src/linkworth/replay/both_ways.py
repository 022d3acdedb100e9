"""Both directions between two ranks over TCP, by MPI library."""

import msgspec

from linkworth.catalog.derived import is_over_tcp
from linkworth.model.fabric import Fabric


def under(library: str, fabric: Fabric) -> Fabric:
    """Return the fabric as a library uses it.

    Over TCP, Open MPI's receiver asks for the data of a long message (PUT) on the connection of its own data. With
    windows of messages both ways, the request waits behind that data, and the directions take turns. 1,179 of
    2,356 MB/s are left on AWS c5n (JiaweiZhuang/aws-mpi-benchmark, Open MPI 3.1.4 and 4.0.1, 2019), where Intel MPI
    and MPICH reach all. On shaped links (Open MPI 4.1.4, 2026-11-25) windows of 2 to 64 messages of 70 to 600 kB
    take 1.9 to 2.0 times as long as with btl_tcp_flags=1, which switches PUT off (benchmarks/lab/bench_both_ways.py).
    """
    if not library.startswith("openmpi") or not is_over_tcp(fabric):
        return fabric
    pair = min(fabric.tcp.pair_bytes_per_second, fabric.link.bandwidth_bytes_per_second)
    return msgspec.structs.replace(
        fabric, tcp=msgspec.structs.replace(fabric.tcp, pair_bytes_per_second=pair)
    )
