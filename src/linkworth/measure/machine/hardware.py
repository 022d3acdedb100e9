"""Networks, processor and clock from /sys and /proc."""

import math
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from linkworth.model.environment import Check
from linkworth.mpi.files import text_of


def infiniband(sys: Path = Path("/sys")) -> list[Check]:
    """List the ports of RDMA devices (InfiniBand, RoCE, Omni-Path); one absent check without any."""
    ports = []
    for port in sorted((sys / "class/infiniband").glob("*/ports/*")):
        rate, layer, state = (_text(port / name) for name in ("rate", "link_layer", "state"))
        ports.append(
            Check(
                group="network",
                name=f"{port.parents[1].name} port {port.name}",
                present=state.endswith("ACTIVE"),
                detail=", ".join(part for part in (layer, rate, state) if part),
                purpose="a fast network",
            )
        )
    return ports or [
        Check(group="network", name="RDMA devices", present=False, detail="none", purpose="a fast network")
    ]


def ethernet(sys: Path = Path("/sys")) -> list[Check]:
    """List the physical Ethernet NICs, with their speed if the driver reports it."""
    found = []
    for device in sorted((sys / "class/net").glob("*")):
        if not (device / "device").exists():
            continue
        speed = _text(device / "speed")
        known = f"{int(speed):,} Mb/s" if re.fullmatch(r"[1-9]\d*", speed) else "speed unknown"
        state = _text(device / "operstate")
        found.append(
            Check(
                group="network",
                name=device.name,
                present=state == "up",
                detail=f"{known}, {state}",
                purpose="network",
            )
        )
    return found


def clock(sys: Path = Path("/sys"), proc: Path = Path("/proc")) -> list[Check]:
    """Check that the time stamp counter can time calls: constant, also in sleep, and trusted by the kernel."""
    flags = set(re.findall(r"\w+", _cpuinfo(proc, "flags")))
    steady = {"constant_tsc", "nonstop_tsc"} <= flags
    source = _text(sys / "devices/system/clocksource/clocksource0/current_clocksource")
    detail = (
        "constant and nonstop"
        if steady
        else "not steady: calls are timed by clock_gettime, at some 20 ns more"
    )
    return [
        Check(
            group="clock",
            name="time stamp counter",
            present=steady,
            detail=f"{detail}; the kernel uses {source or 'an unknown clock'}",
            purpose="times calls cheaply",
        )
    ]


def processor(proc: Path = Path("/proc")) -> str:
    """Return the processor's name; "" if the kernel does not report it."""
    return _cpuinfo(proc, "model name")


def cores(allowed: Collection[int], sys: Path = Path("/sys")) -> dict[int, str]:
    """Return one logical CPU of each core that is allowed, with the core's socket."""
    found: dict[tuple[str, str], int] = {}
    for cpu in sorted(allowed):
        topology = sys / f"devices/system/cpu/cpu{cpu}/topology"
        siblings = _text(topology / "thread_siblings_list") or str(cpu)
        found.setdefault((siblings, _text(topology / "physical_package_id")), cpu)
    return {cpu: socket for (_, socket), cpu in found.items()}


def core_limit(sys: Path = Path("/sys"), proc: Path = Path("/proc")) -> float:
    """Return how many cores' time the control groups of this process allow, as of a container; infinite without a limit."""
    limits = [math.inf]
    for folder in _groups(sys, proc):
        words = _text(folder / "cpu.max").split() or [
            _text(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period")
        ]
        if all(re.fullmatch(r"[1-9]\d*", word) for word in words):
            limits.append(int(words[0]) / int(words[1]))
    return min(limits)


def memory_bytes(proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> int:
    """Return the memory of the machine that this process may use; 0 if the kernel does not report it."""
    found = re.search(r"^MemTotal:\s+(\d+) kB", _text(proc / "meminfo"), re.MULTILINE)
    texts = [
        _text(folder / name)
        for folder in _groups(sys, proc)
        for name in ("memory.max", "memory.limit_in_bytes")
    ]
    limits = [int(text) for text in texts if re.fullmatch(r"[1-9]\d*", text)]
    return min([int(found[1]) * 1024, *limits]) if found else 0


def _groups(sys: Path, proc: Path) -> Iterator[Path]:
    """Yield the folders of the control groups of this process and of those around them, in both versions of the kernel."""
    for line in _text(proc / "self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        below = Path(path.lstrip("/"))
        for root in {sys / "fs/cgroup", sys / "fs/cgroup" / controllers}:
            # In a container the path may be one outside, and the limit in the root.
            for folder in (below, *below.parents):
                yield root / folder


def _cpuinfo(proc: Path, field: str) -> str:
    found = re.search(rf"^{field}\s*:\s*(.*)$", _text(proc / "cpuinfo"), re.MULTILINE)
    return found[1].strip() if found else ""


def _text(path: Path) -> str:
    # Reading some attributes fails while a link is down.
    return text_of(path).strip()
