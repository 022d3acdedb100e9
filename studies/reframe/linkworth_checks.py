"""A ReFrame test class whose measurements are linkworth's, and the tests of a small suite made of it.

    reframe -C your_site.py -c linkworth_checks.py -n EpOnOneNode -r --performance-report

ReFrame asks its scheduler for the nodes; linkworth starts the ranks on them, as a step where it finds itself inside a
Slurm job, and prints every figure as `NAME=VALUE UNIT`. docs/how-to/on-a-cluster.md says how to use it.
"""

from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import performance_function, run_before, sanity_function, variable

FIGURE = r"^([a-z_]+)=(\S+) (\S+)$"


class LinkworthRun(rfm.RunOnlyRegressionTest):
    """Runs one workload; every figure of its result becomes a performance variable."""

    workload = variable(str)
    """As after `linkworth run --`: a bundled program (`npb:ft.B`) or a command."""
    linkworth_options = variable(list, value=[])
    """More options of `linkworth run`: --mpi, --transport, --iterations."""
    executable = "linkworth"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]

    @run_before("run")
    def start_by_linkworth(self):
        """One process of linkworth in the job: it starts the ranks by itself."""
        self.job.launcher = getlauncher("local")()
        inside = ["--slurm"] if "slurm" in self.current_partition.scheduler.registered_name else []
        options = ["run", "--figures", "-n", str(self.num_tasks), *inside, *self.linkworth_options]
        self.executable_opts = [*options, "--", *self.workload.split()]

    @sanity_function
    def ran_and_verified(self):
        """It came to its end, and its own verification, where it has one, succeeded."""
        return sn.all([
            sn.assert_found(r"^complete=1 1$", self.stdout),
            sn.assert_not_found(r"^verified=0 1$", self.stdout),
        ])  # fmt: skip

    @run_before("performance")
    def take_every_figure(self):
        """Which figures there are depends on the program and on what the nodes count."""
        printed = Path(self.stagedir) / sn.evaluate(self.stdout)
        for name, value, unit in sn.evaluate(sn.extractall(FIGURE, str(printed), (1, 2, 3))):
            self.perf_variables[name] = sn.make_performance_function(sn.defer(float(value)), unit)

    @performance_function("s")
    def seconds(self):
        """The time that a reference is best given for."""
        return sn.extractsingle(r"^seconds=(\S+) s$", self.stdout, 1, float)


@rfm.simple_test
class EpOnOneNode(LinkworthRun):
    """The NAS benchmark that needs no network: is the node as fast as its neighbours?"""

    workload = "npb:ep.W"
    num_tasks = 2


@rfm.simple_test
class FtOnFourNodes(LinkworthRun):
    """The NAS benchmark that needs the network most: is the network as fast as last week?"""

    workload = "npb:ft.B"
    num_tasks = 16
    num_tasks_per_node = 4
