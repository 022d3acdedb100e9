"""Starts MPI programs on the nodes of a lab with the MPI's own launcher, as on a cluster with ssh."""

import os

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.lab import addresses, aggregation
from linkworth.lab.labs import Lab
from linkworth.lab.plan import HEAD
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Place
from linkworth.mpi import build, preload
from linkworth.places.hosts import HostSlots, share
from linkworth.places.job import Job
from linkworth.places.local import cores
from linkworth.places.mpiexec import MpiexecLauncher, check_reaches_hosts, set_for_ranks
from linkworth.places.place import check_layout
from linkworth.units import plural

SESSION_FOLDER = "/dev/shm"
"""Folder of Open MPI's daemons. Each node has its own, which vanishes with the node."""


class LabLauncher(MpiexecLauncher):
    """Launcher on the nodes of a lab, with ranks in blocks."""

    name = "lab"

    def __init__(self, lab: Lab, mpi: MpiInstallation, where: Place) -> None:
        check_reaches_hosts(mpi, "cannot start programs in a lab")
        super().__init__(mpi, where.transport, "")
        self.lab = lab
        self.where = where
        self.nodes = lab.spec.node_names[: where.nodes]
        self._aggregation = aggregation.aggregation_for(lab.spec)

    def slots(self, ranks: int) -> dict[str, int]:
        """Return the number of ranks on each node, in blocks. Raises UsageError if they do not fit."""
        most = self.where.ranks_per_node
        check_layout(ranks, self.where.nodes, most)
        if most is not None and ranks > most * len(self.nodes):
            raise UsageError(
                f"{ranks} ranks do not fit on {plural(len(self.nodes), 'node')} of {plural(most, 'rank')} each"
            )
        return share([HostSlots(node, None) for node in self.nodes], ranks, most)

    def arguments(self, job: Job) -> list[str]:
        """Return the command line, which enters the head's namespaces first."""
        words = [self.mpi.mpiexec, "-n", str(job.ranks), *self.placement(job.ranks), *self.settings.arguments]
        return self.lab.enter(HEAD, [*words, *set_for_ranks(self._for_ranks(job), job.command)])

    @property
    def cores(self) -> int:
        """Cores of this machine: every node computes on all of them."""
        return cores()

    def placement(self, ranks: int) -> list[str]:
        """Return the options that place ranks on the nodes and carry their messages over the data NICs."""
        hosts = ",".join(f"{node}:{count}" for node, count in self.slots(ranks).items())
        if self.mpi.kind == "openmpi":
            return self._openmpi(hosts)
        return ["-launcher", "ssh", "-launcher-exec", str(self.lab.agent), "-hosts", hosts]

    @property
    def interfaces(self) -> list[str]:
        """NICs for messages."""
        return self._aggregation.interfaces(self.lab.spec)

    def _openmpi(self, hosts: str) -> list[str]:
        newer = int(self.mpi.version.partition(".")[0]) >= 5
        launch = addresses.LAUNCH_NETWORK
        if newer:
            daemon = "--prtemca"
            options = [daemon, "plm_ssh_agent", str(self.lab.agent), daemon, "plm_ssh_no_tree_spawn", "1",
                       daemon, "prte_if_include", launch, daemon, "prte_tmpdir_base", SESSION_FOLDER]  # fmt: skip
        else:
            daemon = "--mca"
            options = [daemon, "plm_rsh_agent", str(self.lab.agent), daemon, "plm_rsh_no_tree_spawn", "1",
                       daemon, "oob_tcp_if_include", launch, daemon, "orte_tmpdir_base", SESSION_FOLDER]  # fmt: skip
        # Daemons that leave their agent would stay as zombies if process 1 reaps none.
        options += ["--leave-session-attached", "--host", hosts, "--map-by", "slot", "--bind-to", "none"]
        return [
            *options,
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "--mca",
            "btl_tcp_if_include",
            ",".join(self.interfaces),
        ]

    def _for_ranks(self, job: Job) -> dict[str, str]:
        """Variables of the ranks: those of the NICs and the transport, overridden by the job's."""
        nics = ",".join(self.interfaces)
        variables = {"UCX_NET_DEVICES": nics, "FI_TCP_IFACE": self.interfaces[0]}
        if len(self.interfaces) > 1:
            variables["UCX_MAX_EAGER_RAILS"] = variables["UCX_MAX_RNDV_RAILS"] = str(len(self.interfaces))
        variables = _with(variables | self.settings.environment, self._aggregation.environment(self.lab.spec))
        asked = preload.without_ranks_library(job.environment)
        settling = preload.must_settle(self.mpi)
        if settling:
            variables[preload.SETTLE] = "1"
        tracer = (settling or job.ranks >= cores()) and "LD_PRELOAD" not in asked | os.environ
        yielding = self._yielding() if tracer else {}
        return _with(_with(variables, yielding), asked if yielding else job.environment)

    def _yielding(self) -> dict[str, str]:
        """Variables that make waiting ranks yield their core to the kernel's part of the network."""
        if not self.spins_when_crowded:
            return {}
        try:
            return preload.environment(build.tracer(self.mpi), parts=None, yielding=True)
        except EnvironmentLacksError:
            return {}


def _with(variables: dict[str, str], more: dict[str, str]) -> dict[str, str]:
    """Override variables with others. Preload libraries (of MPTCP, of the tracer) and their folders are combined."""
    combined = {
        name: ":".join(given[name] for given in (variables, more) if given.get(name))
        for name in ("LD_PRELOAD", "LD_LIBRARY_PATH")
    }
    return variables | more | {name: both for name, both in combined.items() if both}
