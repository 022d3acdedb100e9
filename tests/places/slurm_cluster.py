"""A real Slurm cluster on this machine: munged, slurmctld, and a slurmd for each node, in namespaces of their own.

Each node has its hostname, its shared memory and its processes to itself, and shares network and files with this machine: what a
job sees of Slurm (steps, task counts, process managers, states, a node that dies) is real, what it sees of a network is not.
Leaving the cluster ends everything in it, because each daemon is the first process of a PID namespace.
"""

import contextlib
import os
import random
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from eventual import eventually
from run_program import output_of

from linkworth.places.mpiexec import ROOT_ALLOWED

PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
CONFIGURATION = """\
ClusterName=linkworth
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n/slurmd.pid
SlurmdSpoolDir={folder}/%n/spool
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin={task_plugin}
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
MailProg=/bin/true
KillWait=1
SlurmdTimeout=60
BatchStartTimeout=120
MessageTimeout=100
UnkillableStepTimeout=300
OverTimeLimit=0
MinJobAge=120
SchedulerParameters=sched_interval=1,batch_sched_delay=0,sched_min_interval=0,defer_batch
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP
PartitionName=tiny Nodes={first} MaxTime=60 State=UP
"""


class SlurmCluster:
    """Nodes `n1`, `n2`, ... with `cpus` cores each (more than this machine may have). Use it with `with`."""

    def __init__(
        self, folder: Path, *, nodes: int = 4, cpus: int = 2, task_plugin: str = "task/none"
    ) -> None:
        self.folder = folder
        self.names = [f"n{number}" for number in range(1, nodes + 1)]
        self.configuration = folder / "slurm.conf"
        self._cpus = cpus
        self._task_plugin = task_plugin
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._held = contextlib.ExitStack()

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which Slurm's commands find this cluster, and its nodes take Open MPI as root."""
        return {"PATH": PATH, "SLURM_CONF": str(self.configuration), **ROOT_ALLOWED}

    def use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have a test's commands find this cluster."""
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)

    def __enter__(self) -> "SlurmCluster":
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for daemon in self._daemons.values():
            daemon.kill()
        for daemon in self._daemons.values():
            daemon.wait()
        self._daemons.clear()
        self._held.close()

    def run(self, *command: str) -> str:
        """Run one of Slurm's commands against this cluster and return what it printed."""
        return output_of(command, env={**os.environ, **self.environment})

    def kill_node(self, name: str) -> None:
        """End a node and everything on it at once, as when its power fails."""
        self._daemons[name].kill()
        self._daemons.pop(name).wait()
        # Slurm notices by itself after a while (SlurmdTimeout, then its pings); an administrator can report it earlier.
        self.run("scontrol", "update", f"nodename={name}", "state=down", "reason=power")

    def start_node(self, name: str) -> None:
        """Start a node, (again) empty."""
        place = self.folder / name
        (place / "spool").mkdir(parents=True, exist_ok=True)
        (place / "pmix").mkdir(exist_ok=True)
        shutil.copy(self.configuration, place / "slurm.conf")
        # Else two nodes on one machine meet in the same folder of /tmp.
        (place / "mpi.conf").write_text(f"PMIxCliTmpDirBase={place / 'pmix'}\n")
        inside = (
            f"mount -t tmpfs none /dev/shm && mount --bind {self.folder / 'hosts'} /etc/hosts && hostname {name} && "
            f"exec slurmd -D -N {name} -f {place / 'slurm.conf'}"
        )
        self._spawn(
            name,
            [
                "unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
                inside,
            ],
            SLURM_CONF=str(place / "slurm.conf"),
        )  # fmt: skip

    def wait_idle(self) -> None:
        """Wait until every node can take a job."""

        def states() -> list[str]:
            try:
                return self.run("sinfo", "--noheader", "--Node", "--partition=main", "--format=%T").split()
            except AssertionError:
                return []

        if not eventually(lambda: states() == ["idle"] * len(self.names)):
            raise TimeoutError(f"nodes are {states()}; {self._logs()}")

    def _start(self) -> None:
        (self.folder / "state").mkdir(parents=True)
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        self.folder.chmod(0o755)
        names = " ".join(self.names)
        (self.folder / "hosts").write_text(f"127.0.0.1 localhost {names} {socket.gethostname()}\n")
        controller, *ports = [self._held.enter_context(_port()) for _ in range(len(self.names) + 1)]
        lines = [
            f"NodeName={name} NodeHostname={name} NodeAddr=127.0.0.1 Port={port} CPUs={self._cpus} Feature=ib State=UNKNOWN"
            for name, port in zip(self.names, ports, strict=True)
        ]
        self.configuration.write_text(
            CONFIGURATION.format(
                host=socket.gethostname(),
                port=controller,
                folder=self.folder,
                task_plugin=self._task_plugin,
                nodes="\n".join(lines),
                first=self.names[0],
            )
        )
        munge = {name: self.folder / f"munge.{name}" for name in ("socket", "pid", "log", "seed")}
        self._spawn(
            "munged",
            [
                "munged",
                "--foreground",
                "--force",
                "--num-threads=2",
                f"--key-file={key}",
                f"--socket={munge['socket']}",
                f"--pid-file={munge['pid']}",
                f"--log-file={munge['log']}",
                f"--seed-file={munge['seed']}",
            ],
        )
        if not eventually(munge["socket"].exists):
            raise TimeoutError("munged did not start")
        self._spawn("slurmctld", ["slurmctld", "-D", "-i", "-c", "-f", str(self.configuration)])
        for name in self.names:
            self.start_node(name)
        self.wait_idle()

    def _spawn(self, name: str, command: list[str], **variables: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as output:
            # Also where the tests themselves are killed, nothing of the cluster is left.
            self._daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                env={**os.environ, **self.environment, **variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def _logs(self) -> str:
        logs = [*self.folder.glob("*.out"), *self.folder.glob("*.log"), *self.folder.glob("*/slurmd.log")]
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-500:]}" for log in sorted(logs))


@contextlib.contextmanager
def _port() -> Iterator[int]:
    """Hold a free port below the range from which the kernel assigns ports, for a daemon of this cluster alone.

    Another cluster cannot take it, also while its daemon is not there: the holder is bound to it without listening. Slurm's
    daemons share the address of such a socket (SO_REUSEADDR), which a second holder does not.
    """
    least = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    with socket.socket() as holder:
        while True:
            with contextlib.suppress(OSError):
                holder.bind(("0.0.0.0", random.SystemRandom().randrange(10_000, max(least, 20_000))))
                break
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        yield holder.getsockname()[1]
