"""Settings of MPI libraries that the replay knows: their library, transport, effect on a fabric, and source."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from linkworth import units
from linkworth.catalog import fabrics
from linkworth.catalog.derived import is_over_tcp
from linkworth.errors import UsageError
from linkworth.model.collectives import CollectiveRules
from linkworth.model.fabric import Fabric

_ONE_PUT_BELOW = 196608
"""btl_tcp_min_rdma_pipeline_size in bytes (`ompi_info --param btl tcp --level 9`, Open MPI 4.1.4)."""


def under(library: str, fabric: Fabric) -> Fabric:
    """Return the fabric as a library uses it.

    Over TCP, Open MPI's receiver asks for the data of a long message (PUT) on the connection of its own data. With
    windows of messages both ways, the request waits behind that data, and the directions take turns. 1,179 of
    2,356 MB/s are left on AWS c5n (JiaweiZhuang/aws-mpi-benchmark, Open MPI 3.1.4 and 4.0.1, 2019), where Intel MPI
    and MPICH reach all. On shaped links (Open MPI 4.1.4, 2026-11-25) windows of 2 to 64 messages of 70 to 600 kB
    take 1.9 to 2.0 times as long as with btl_tcp_flags=1, which switches PUT off (benchmarks/lab/bench_both_ways.py).

    A message below btl_tcp_min_rdma_pipeline_size is one PUT. If two ranks exchange such messages, and the second answers
    before it makes its own request, the first's answer waits behind all of the first's data. On 64
    ranks, CG with messages of 75 and 150 kB takes 1.3 and 1.4 times as long as without PUT, and with 300 kB 1.1 times
    (Open MPI 4.1.4, 2026-12-01, benchmarks/lab/bench_played.py).
    """
    if not library.startswith("openmpi") or not is_over_tcp(fabric):
        return fabric
    pair = min(fabric.tcp.pair_bytes_per_second, fabric.link.bandwidth_bytes_per_second)
    stream = max(fabric.tcp.one_stream_below_bytes, _ONE_PUT_BELOW)
    tcp = msgspec.structs.replace(fabric.tcp, pair_bytes_per_second=pair, one_stream_below_bytes=stream)
    return msgspec.structs.replace(fabric, tcp=tcp)


Transport = Literal["TCP", "shared memory", "RDMA"]
_UNLIMITED = 2**63 - 1
TCP_LIMIT = 65536
"""Bytes of a connection over TCP that move while the sender is outside MPI."""
_NOT_UCX = ("efa", "opa", "slingshot")
"""Adapters under libfabric or PSM2, which UCX's settings do not reach."""
_OTHER_MPICH = re.compile(r"intel|mvapich|cray", re.IGNORECASE)
"""Libraries that use MPICH's algorithms, but have settings of their own."""


class MpiSetting(NamedTuple):
    """A setting as a user gives it to a library."""

    name: str
    libraries: tuple[str, ...]
    """Series of libraries that have it, by the beginning of their names."""
    transports: tuple[Transport, ...]
    """Messages that it applies to."""
    values: str
    """Pattern of the values."""
    effect: Callable[[Fabric, str], Fabric]
    tried: tuple[str, ...] = ()
    """Values that advice tries. Only settings whose gain was measured have one."""


def _without_put(fabric: Fabric, _: str) -> Fabric:
    """Without PUT, data leave in fragments, and a request waits for no more than one. Both directions are full."""
    tcp = msgspec.structs.replace(fabric.tcp, pair_bytes_per_second=float("inf"), one_stream_below_bytes=0)
    return msgspec.structs.replace(fabric, tcp=tcp)


def _tcp_limit(fabric: Fabric, value: str) -> Fabric:
    """Messages up to the limit need no answer. What is as long as the old limit follows it: windows, stripes.

    The kernel takes some 64 KiB of a connection while the sender is outside MPI. The rest of eager messages moves on when
    their ranks wait, as that of others: with a limit of 8 MiB, 60 to 120 kB of windows of 100 kB to 19 MB moved in 50 ms
    outside MPI (bench_both_ways.py --outside 0.05, links of 100 Mbit/s, Open MPI 5.0.11, 2026-11-26).
    """
    old, new = fabric.link.eager_limit_bytes, _bytes(value)
    value = str(min(new, max(old, TCP_LIMIT)))
    least, rest = fabric.stripe_min_bytes, fabric.stripe_rest_bytes
    fabric = msgspec.structs.replace(
        _link_limit(fabric, value),
        tcp=msgspec.structs.replace(fabric.tcp, pair_from_bytes=new),
        stripe_min_bytes=least - old + new if least in (old, old + 1) else least,
        stripe_rest_bytes=new if rest == old else rest,
    )
    return _memory_limit(fabric, value) if _uses_sockets_in_a_node(fabric) else fabric


def _link_limit(fabric: Fabric, value: str) -> Fabric:
    limited = msgspec.structs.replace(fabric.link, eager_limit_bytes=_bytes(value))
    return msgspec.structs.replace(fabric, link=limited)


def _memory_limit(fabric: Fabric, value: str) -> Fabric:
    limited = msgspec.structs.replace(fabric.intranode, eager_limit_bytes=_bytes(value))
    return msgspec.structs.replace(fabric, intranode=limited)


def _ucx_limit(fabric: Fabric, value: str) -> Fabric:
    return _tcp_limit(fabric, value) if is_over_tcp(fabric) else _link_limit(fabric, value)


def _both_limits(fabric: Fabric, value: str) -> Fabric:
    return _memory_limit(_link_limit(fabric, value), value)


_BYTES = r"[1-9][0-9]{0,14}"
_UCX_BYTES = r"[0-9]{1,9}[kKmMgG]?[bB]?|inf"

# Sources, read 2026-11: `ompi_info --all` of Open MPI 4.1.4 and 5.0.11 (vader is the old name of sm there), `mpivars` of
# MPICH 4.0.2, `ucx_info -cf` of UCX 1.13. The effects of btl_tcp_flags and btl_tcp_eager_limit were measured
# (benchmarks/lab/bench_both_ways.py). UCX carries all of Open MPI's messages over
# RDMA, and MPICH's between nodes (ch4:ucx), over TCP as well.
KNOWN = (
    MpiSetting("btl_tcp_flags", ("openmpi",), ("TCP",), "send|1", _without_put, ("send",)),
    MpiSetting("btl_tcp_eager_limit", ("openmpi",), ("TCP",), _BYTES, _tcp_limit),
    MpiSetting("btl_vader_eager_limit", ("openmpi",), ("shared memory",), _BYTES, _memory_limit),
    MpiSetting("btl_sm_eager_limit", ("openmpi-5",), ("shared memory",), _BYTES, _memory_limit),
    MpiSetting("MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", ("mpich",), ("TCP",), _BYTES, _tcp_limit),
    MpiSetting("MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ", ("mpich",), ("shared memory",), _BYTES, _memory_limit),
    MpiSetting("UCX_RNDV_THRESH", ("openmpi",), ("RDMA",), _UCX_BYTES, _both_limits),
    MpiSetting("UCX_RNDV_THRESH", ("mpich",), ("RDMA", "TCP"), _UCX_BYTES, _ucx_limit),
)
"""One entry for each setting and family of libraries."""


def on_fabric(
    rules: CollectiveRules, fabric: Fabric, chosen: Mapping[str, str]
) -> tuple[Fabric, dict[str, str]]:
    """Return the fabric as the library of `rules` uses it with the chosen settings, and those that reach its messages.

    Raises UsageError for settings that the library lacks.
    """
    reach = {name: value for name, value in chosen.items() if _reaches(_setting(name, value, rules), fabric)}
    fabric = under(rules.library, fabric)
    for name, value in reach.items():
        fabric = _setting(name, value, rules).effect(fabric, value)
    return fabric, reach


def require_use(rules: CollectiveRules, fabrics: Sequence[Fabric], chosen: Mapping[str, str]) -> list[str]:
    """Return one sentence for each setting that reaches some of the fabrics only.

    Raises UsageError for a setting that is unknown, of another library, or without an effect on each of the fabrics.
    """
    warnings = []
    for name, value in chosen.items():
        setting = _setting(name, value, rules)
        others = [fabric.name for fabric in fabrics if not _reaches(setting, fabric)]
        what = f"{name} is for {' and '.join(setting.transports)}"
        if len(others) == len(fabrics):
            raise UsageError(
                f"`mpi_setting` {name}: {what}, and has no effect on {', '.join(others)}; {_for(rules, fabrics)}"
            )
        if setting.effect is _tcp_limit and _bytes(value) > TCP_LIMIT:
            warnings.append(
                f"{name}={value}: eager messages over {units.count(TCP_LIMIT)} bytes are replayed as if they moved only while "
                "both ranks wait, since the kernel takes little more at a time"
            )
        if others:
            warnings.append(f"{what}, so {', '.join(others)} is predicted without it")
    return warnings


def tried(rules: CollectiveRules, fabric: Fabric) -> list[tuple[str, str]]:
    """Return the settings, with values, that may gain something on the fabric."""
    return [
        (each.name, value)
        for each in KNOWN
        if _has(rules, each) and _reaches(each, fabric)
        for value in each.tried
    ]


def in_words(chosen: Mapping[str, str]) -> str:
    """Return settings as `NAME=VALUE NAME=VALUE`."""
    return " ".join(f"{name}={value}" for name, value in chosen.items())


def command_line(name: str, value: str) -> str:
    """Return the beginning of an Open MPI command with the setting."""
    return f"mpiexec --mca {name} {value}"


def require_known(name: str, value: str) -> None:
    """Raise UsageError for a setting that no library has, and for a value that it takes in none."""
    settings = _of_name(name)
    if not any(re.fullmatch(each.values, value) for each in settings):
        raise _refused(settings[0], value)


def _of_name(name: str) -> list[MpiSetting]:
    found = [each for each in KNOWN if each.name == name]
    if not found:
        raise UsageError(f"`mpi_setting` {name}: the replay knows no such setting; it knows {_listed(KNOWN)}")
    return found


def _refused(setting: MpiSetting, value: str) -> UsageError:
    wanted = {_BYTES: "a whole number of bytes", _UCX_BYTES: "bytes, such as 16k, or inf"}
    form = wanted.get(setting.values, setting.values.replace("|", " or "))
    return UsageError(f"`mpi_setting` {setting.name}={value}: give {form}")


def _setting(name: str, value: str, rules: CollectiveRules) -> MpiSetting:
    """Return a setting of the library. Raises UsageError for another one, and for a value that it does not take."""
    of_name = _of_name(name)
    found = next((each for each in of_name if _has(rules, each)), None)
    if found is None:
        whose = " or ".join(dict.fromkeys(library for each in of_name for library in each.libraries))
        own = [each for each in KNOWN if _has(rules, each)]
        raise UsageError(
            f"`mpi_setting` {name}: it is a setting of {whose}, and the replay is of {_library(rules)}, of which it knows "
            f"{_listed(own) or 'none'}; `mpi_library` chooses another library"
        )
    if not re.fullmatch(found.values, value):
        raise _refused(found, value)
    return found


def _has(rules: CollectiveRules, setting: MpiSetting) -> bool:
    return _library(rules).startswith(setting.libraries)


def _library(rules: CollectiveRules) -> str:
    """Return the library whose settings count: that of the collectives, or one that only shares MPICH's algorithms."""
    if rules.library.startswith("mpich") and rules.origin == "trace":
        other = _OTHER_MPICH.search(rules.recorded_library)
        return other[0].lower() if other else rules.library
    return rules.library


def _reaches(setting: MpiSetting, fabric: Fabric) -> bool:
    return not _transports(setting, fabric).isdisjoint(setting.transports)


def _transports(setting: MpiSetting, fabric: Fabric) -> set[Transport]:
    """Return what carries messages: between nodes, and within one if the same component does not carry both."""
    found: set[Transport] = set()
    in_one_node = fabric.link == fabric.intranode
    if is_over_tcp(fabric):
        found.add("TCP")
    elif not in_one_node and not (setting.name.startswith("UCX") and fabric.name.startswith(_NOT_UCX)):
        found.add("RDMA")
    # Over RDMA, UCX also carries the messages within a node.
    if (is_over_tcp(fabric) or in_one_node) and not _uses_sockets_in_a_node(fabric):
        found.add("shared memory")
    return found


def _uses_sockets_in_a_node(fabric: Fabric) -> bool:
    return fabric.intranode == fabrics.get("loopback").link


def _for(rules: CollectiveRules, fabrics: Sequence[Fabric]) -> str:
    own = [each for each in KNOWN if _has(rules, each) and any(_reaches(each, fabric) for fabric in fabrics)]
    return f"with {_library(rules)} there it knows {_listed(own) or 'none'}"


def _listed(settings: Sequence[MpiSetting]) -> str:
    return ", ".join(dict.fromkeys(each.name for each in settings))


def _bytes(text: str) -> int:
    if text == "inf":
        return _UNLIMITED
    number = text.lower().rstrip("b")
    scale = 1024 ** "bkmg".find(number[-1]) if number[-1] in "kmg" else 1
    return int(number.rstrip("kmg")) * scale
