"""Labs as places for runs: a lab that is up, by its name, or one made from a preset for this run."""

import os
import platform
from pathlib import Path
from typing import Self

import msgspec

from linkworth import units
from linkworth.errors import UsageError
from linkworth.lab import aggregation, cgroups, isolation, labs, state, system
from linkworth.lab import spec as specs
from linkworth.lab.addresses import LAUNCH_NIC
from linkworth.lab.labs import Lab
from linkworth.lab.launcher import LabLauncher
from linkworth.lab.spec import LabSpec
from linkworth.model.bench import LINK_RATE, PORT_BUFFER
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Place
from linkworth.places import proc
from linkworth.places.counters import LEAST_CPU_TIME, node_counters
from linkworth.places.local import cores


class LabPlace:
    """A lab that is open for runs. On exit it takes down a lab that was made for it, and no other."""

    def __init__(self, lab: Lab, where: Place, cleaned: list[str]) -> None:
        self.lab = lab
        self.where = where
        self._clocks = {node: CoreClock(place.pid) for node, place in lab.state.places.items()}
        self.cleaned = cleaned
        """Sentences about killed labs whose leftovers were removed first."""

    @property
    def name(self) -> str:
        """`lab`, and the name of the lab or preset."""
        return f"lab {self.where.name}"

    @property
    def transport(self) -> str:
        """Named setting of the transport that its launchers apply."""
        return self.where.transport

    @property
    def nodes(self) -> list[str]:
        """Nodes that runs use, in the order of the ranks."""
        return self.lab.spec.node_names[: self.where.nodes]

    @property
    def cores(self) -> int:
        """Cores of this machine: every node computes on all of them."""
        return cores()

    def launcher(self, mpi: MpiInstallation) -> LabLauncher:
        """Return a launcher for jobs of this MPI on the nodes."""
        return LabLauncher(self.lab, mpi, self.where)

    def counters(self) -> list[NodeCounters]:
        """Read the counters of its nodes now."""
        return [self._counters(node) for node in self.nodes]

    def _counters(self, node: str) -> NodeCounters:
        """Read a node's counters through its holder. The launch network carries no message of a program."""
        place = self.lab.state.places[node]
        holder = Path(f"/proc/{place.pid}")
        counted = node_counters(node, holder / "net", nics=holder / "root/sys/class/net")
        return msgspec.structs.replace(
            counted,
            nics=[nic for nic in counted.nics if nic.nic != LAUNCH_NIC],
            core_seconds=cgroups.core_seconds(place.cgroup) or self._clocks[node].read(),
        )

    def facts(self) -> dict[str, str]:
        """Return the facts about the lab that a result reports."""
        said = facts(self.lab.spec)
        if not cgroups.core_seconds(self.lab.state.places[self.nodes[0]].cgroup):
            said[LEAST_CPU_TIME] = (
                "from readings of processes: without what each took between the last reading and its end"
            )
        return said | ({"cleaned": "; ".join(self.cleaned)} if self.cleaned else {})

    def __enter__(self) -> Self:
        """Return the place itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the lab down if it was made for this run."""
        self.lab.close()


def open_lab(where: Place) -> LabPlace:
    """Open a lab for runs: the running one of that name, or one of a preset, which exists until its `with` block ends.

    Raises UsageError for an unknown name or too many nodes, EnvironmentLacksError if the machine lacks
    something.
    """
    if where.binding not in ("", "none"):
        raise UsageError(
            f"`bind` {where.binding}: the nodes of a lab share the cores of this machine, so that ranks of different "
            "nodes would be bound to the same core; leave it out"
        )
    cleaned = labs.sweep()
    there = labs.find(where.name)
    if there is not None:
        if where.options:
            raise UsageError(
                f"the lab {where.name} is up already: {', '.join(where.options)} cannot change it"
            )
        if where.nodes is not None and where.nodes > there.spec.nodes:
            raise UsageError(
                f"the lab {where.name} has {units.plural(there.spec.nodes, 'node')}; {where.nodes} were asked for (`nodes`)"
            )
        return LabPlace(there, where, cleaned)
    names = [known.name for known in state.running() if not known.scoped]
    spec = specs.preset_or_error(where.name, names)
    if where.nodes is not None:
        spec = msgspec.structs.replace(spec, nodes=where.nodes)
    spec = specs.with_options(spec, _options(where))
    return LabPlace(labs.up(spec), where, cleaned)


def check_lab(where: Place) -> None:
    """Raise EnvironmentLacksError if this machine lacks a place's containers or NIC aggregation."""
    if labs.find(where.name) is not None:
        return
    spec = specs.with_options(specs.preset_or_error(where.name, []), _options(where))
    aggregation.aggregation_for(spec)
    isolation.tool_of(spec)


def _options(where: Place) -> dict[str, str]:
    """Read the place's options: `mtu=9000`."""
    wrong = [text for text in where.options if "=" not in text]
    if wrong:
        raise UsageError(f"{wrong[0]}: an option of a lab is written NAME=VALUE, such as mtu=9000")
    pairs = (text.partition("=") for text in where.options)
    return {name.replace("-", "_"): value for name, _, value in pairs}


def facts(spec: LabSpec) -> dict[str, str]:
    """Return the facts about a lab that a result reports."""
    here = cores()
    said = {
        "network": "emulated: namespaces of one machine",
        "rate": units.bit_rate(spec.rate) + (" each NIC" if spec.nics > 1 else ""),
        "mtu": str(spec.packet_bytes)
        + ("" if not spec.joins_packets else ", packets joined and split by the kernel"),
        "added latency": f"{spec.latency * 1e6:g} us" if spec.latency else "none",
        "NICs": str(spec.nics),
        "isolation": spec.isolation,
        "kernel": platform.release(),
        "cores": f"{here} of one machine, shared by all nodes"
        + ("" if (os.cpu_count() or here) == here else f" ({os.cpu_count()} there)"),
    }
    if spec.rate is not None:
        said[LINK_RATE] = f"{spec.rate * spec.nics / 8:.0f} B/s"
    if spec.buffer is not None:
        said[PORT_BUFFER] = f"{spec.buffer} B"
    if spec.loss:
        said["loss"] = f"{spec.loss:.3%}"
    if spec.nics > 1:
        said["aggregation"] = spec.aggregate
    if spec.dilate != 1.0:
        said["dilation"] = (
            f"links are {spec.dilate:g} times slower than stated, as the computation is; times are to be divided by it"
        )
    return said


_TICK = 1.0 / os.sysconf("SC_CLK_TCK")


class CoreClock:
    """Sums the CPU time of a node's processes between readings, on the core where each ran last.

    The time between the last reading and a process's end is not counted, so the sum is a lower bound.
    """

    def __init__(self, holder: int) -> None:
        self._holder = holder
        self._seen: dict[tuple[int, int], float] = {}
        self._cores = [0.0] * (os.cpu_count() or 1)

    def read(self) -> list[float]:
        """Return the seconds on each core since the first reading."""
        inside = system.namespace_of(self._holder)
        for pid in proc.all_pids():
            if pid != self._holder and inside and system.namespace_of(pid) == inside:
                self._add(pid)
        return list(self._cores)

    def _add(self, pid: int) -> None:
        fields = proc.stat(pid)
        if not fields:
            return
        # Fields of proc(5), counted from the state, field 3: utime 14, stime 15, starttime 22, processor 39.
        key = (pid, int(fields[19]))
        seconds = (int(fields[11]) + int(fields[12])) * _TICK
        core = int(fields[36])
        if core < len(self._cores):
            self._cores[core] += seconds - self._seen.get(key, 0.0)
            self._seen[key] = seconds
