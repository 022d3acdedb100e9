"""Hosts of a file as a place for runs.

The MPI's launcher reaches them by ssh for the ranks, linkworth for the counters. The file has one host a line, with
slots in Open MPI's, MPICH's or no notation.
"""

import bisect
import platform
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Binding, Place
from linkworth.places.job_folder import parse_reading
from linkworth.places.job_script import READ_COUNTED
from linkworth.places.mpiexec import MpiexecLauncher, check_reaches_hosts
from linkworth.places.place import check_layout
from linkworth.reading import read_text
from linkworth.units import plural

_HOST = re.compile(r"[A-Za-z0-9][\w.@-]*")
# Words after a host that other launchers read and that do not define slots.
_OTHER_WORDS = re.compile(r"(?:max[_-]slots|sockets?|rack|binding|ifname|user|iface)=\S+")
ANSWER_SECONDS = 20.0
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
"""BatchMode: nobody would see a question for a password."""


class HostfilePlace:
    """Hosts that share a file system with this machine, including the program's folder."""

    def __init__(self, place: Place) -> None:
        hosts = read(Path(place.name))
        if place.nodes is not None and place.nodes > len(hosts):
            raise UsageError(f"`nodes` {place.nodes}: {place.name} has {plural(len(hosts), 'host')}")
        self.name = "hostfile"
        self.hosts = hosts[: place.nodes]
        self.transport = place.transport
        self.binding = place.binding
        self._each = place.ranks_per_node
        self._spread = place.nodes is not None
        self._cores: dict[str, int] = {}

    @property
    def nodes(self) -> list[str]:
        """Names of the hosts, in the order of the ranks."""
        return [host.name for host in self.hosts]

    @cached_property
    def cores(self) -> int:
        """Ranks that get a core each as the launcher fills the hosts, which may leave cores of some idle."""
        limits = [
            min(self._each or host.slots or self._cores[host.name], self._cores[host.name])
            for host in self.hosts
        ]

        def crowds(ranks: int) -> bool:
            shares = share(self.hosts, ranks, self._each, spread=self._spread)
            return any(count > self._cores[name] for name, count in shares.items())

        return bisect.bisect_left(range(1, sum(limits) + 1), True, key=crowds)

    def launcher(self, mpi: MpiInstallation) -> "HostfileLauncher":
        """Return a launcher for jobs of an MPI on the hosts."""
        return HostfileLauncher(
            self.hosts,
            mpi,
            each=self._each,
            cores=self.cores,
            transport=self.transport,
            binding=self.binding,
            spread=self._spread,
        )

    def counters(self) -> list[NodeCounters]:
        """Read the counters of all hosts at the same time. A host that does not answer is left out."""
        with ThreadPoolExecutor(max_workers=32) as pool:
            texts = list(pool.map(lambda name: _ask(name, READ_COUNTED), self.nodes))
        return [
            parse_reading(name, answer.stdout)
            for name, answer in zip(self.nodes, texts, strict=True)
            if answer.returncode == 0
        ]

    def facts(self) -> dict[str, str]:
        """Return the local kernel and the hosts' number of cores."""
        found = {
            "kernel here": platform.release(),
            "cores": ", ".join(f"{name} {count}" for name, count in self._cores.items()),
        }
        return found | ({"binding": self.binding} if self.binding else {})

    def __enter__(self) -> Self:
        """Query the cores of every host. Raises EnvironmentLacksError for one that cannot be reached."""
        with ThreadPoolExecutor(max_workers=32) as pool:
            answers = list(pool.map(lambda name: _ask(name, "getconf _NPROCESSORS_ONLN"), self.nodes))
        for name, answer in zip(self.nodes, answers, strict=True):
            if answer.returncode != 0 or not answer.stdout.strip().isdecimal():
                said = (answer.stderr.strip() or answer.stdout.strip() or "no answer").splitlines()[-1]
                raise EnvironmentLacksError(
                    f"{name} cannot be reached by ssh without a password: {said}; try: ssh {name} true"
                )
            self._cores[name] = int(answer.stdout)
        return self

    def __exit__(self, *_: object) -> None:
        """Release nothing."""


class HostfileLauncher(MpiexecLauncher):
    """Launcher of an MPI over ssh."""

    name = "hostfile"

    def __init__(
        self,
        hosts: "Sequence[HostSlots]",
        mpi: MpiInstallation,
        *,
        each: int | None,
        cores: int,
        transport: str,
        binding: Binding = "",
        spread: bool = False,
    ) -> None:
        check_reaches_hosts(mpi, "cannot be started over ssh here")
        if mpi.kind == "openmpi" and any("@" in host.name for host in hosts):
            raise UsageError(
                f"{mpi.name} takes no user in the name of a host; write the user into ~/.ssh/config instead"
            )
        super().__init__(mpi, transport, binding)
        self.hosts = list(hosts)
        self._each = each
        self._spread = spread
        self._cores = cores

    @property
    def cores(self) -> int:
        """Cores of the hosts."""
        return self._cores

    def slots(self, ranks: int) -> dict[str, int]:
        """Return the number of ranks on each host. Raises UsageError if they do not fit."""
        check_layout(ranks, len(self.hosts) if self._spread else None, self._each)
        return share(self.hosts, ranks, self._each, spread=self._spread)

    def placement(self, ranks: int) -> list[str]:
        """Return the hosts with their shares of the ranks."""
        hosts = ",".join(f"{name}:{count}" for name, count in self.slots(ranks).items())
        if self.mpi.kind != "openmpi":
            return ["-launcher", "ssh", "-hosts", hosts]
        newer = int(self.mpi.version.partition(".")[0]) >= 5
        prefix = ["--prtemca", "plm_ssh_agent", "ssh"] if newer else ["--mca", "plm_rsh_agent", "ssh"]
        return [*prefix, "--host", hosts, "--map-by", "slot"]


def _ask(host: str, command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [*SSH, host, command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise EnvironmentLacksError("ssh is not on PATH; it reaches the hosts of `hostfile`") from None
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess([], 255, "", f"no answer within {ANSWER_SECONDS:g} s")


class HostSlots(NamedTuple):
    """One host and its slots, the number of ranks to place on it."""

    name: str
    slots: int | None
    """None if the file gives none: as many as needed, evenly."""


def read(path: Path) -> list[HostSlots]:
    """Read a hostfile in its order. Raises UsageError with the invalid line."""
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text file"
        raise UsageError(f"{path}: {reason}") from None
    return parse(text, str(path))


def parse(text: str, source: str) -> list[HostSlots]:
    """Read the text of a hostfile. The slots of a repeated host add up, as in files of batch systems."""
    slots: dict[str, int | None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        host = _host(words, f"{source}:{number}")
        if host.name not in slots:
            slots[host.name] = host.slots
        else:
            slots[host.name] = (slots[host.name] or 1) + (host.slots or 1)
    if not slots:
        raise UsageError(f"{source}: there is no host in it; write one a line, such as: node1 slots=4")
    return [HostSlots(name, count) for name, count in slots.items()]


def _host(words: list[str], place: str) -> HostSlots:
    name, colon, joined = words[0].partition(":")
    if not _HOST.fullmatch(name):
        raise UsageError(f"{place}: {words[0]!r} is no host name; write `host`, `host slots=N` or `host:N`")
    counts = [joined] if colon else []
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if key in ("slots", "cpu", "count") and equals:
            counts.append(value)
        elif not _OTHER_WORDS.fullmatch(word):
            raise UsageError(f"{place}: {word!r} is not understood; write `host`, `host slots=N` or `host:N`")
    if len(counts) > 1:
        raise UsageError(f"{place}: {name} has its slots twice")
    if counts and not (re.fullmatch(r"0*[1-9]\d{0,8}", counts[0], re.ASCII)):
        raise UsageError(f"{place}: {counts[0]!r} is no number of slots; it must be a whole number above 0")
    return HostSlots(name, int(counts[0]) if counts else None)


def share(
    hosts: list[HostSlots], ranks: int, each: int | None = None, *, spread: bool = False
) -> dict[str, int]:
    """Return the number of ranks on each host, in blocks: `each`, else up to its slots, else evenly.

    `spread`: on all hosts as evenly as their slots allow, since a user who gives a number of nodes expects
    all to be used. If there are more ranks than slots, every host gets more in proportion. Raises UsageError
    if `each` is too small.
    """
    if each is not None:
        if ranks > each * len(hosts):
            raise UsageError(f"`ppn` {each}: {ranks} ranks do not fit on {plural(len(hosts), 'host')}")
        limits = [each] * len(hosts)
    elif spread and ranks <= sum(ranks if host.slots is None else host.slots for host in hosts):
        limits = _spread(hosts, ranks)
    elif all(host.slots is not None for host in hosts):
        limits = [host.slots or 1 for host in hosts]
        rounds = -(-ranks // sum(limits))
        limits = [limit * rounds for limit in limits]
    else:
        even, more = divmod(ranks, len(hosts))
        limits = [even + (1 if number < more else 0) for number in range(len(hosts))]
    left = ranks
    shared = {}
    for host, limit in zip(hosts, limits, strict=True):
        taken = min(limit, left)
        left -= taken
        if taken:
            shared[host.name] = taken
    return shared


def _spread(hosts: list[HostSlots], ranks: int) -> list[int]:
    """Share ranks as evenly as the slots allow, the first hosts one more. There are enough slots."""
    limits = [ranks if host.slots is None else host.slots for host in hosts]

    def filled(level: int) -> int:
        return sum(min(limit, level) for limit in limits)

    level = bisect.bisect_right(range(ranks + 1), ranks, key=filled) - 1
    more = [number for number, limit in enumerate(limits) if limit > level][: ranks - filled(level)]
    return [min(limit, level + (number in more)) for number, limit in enumerate(limits)]
