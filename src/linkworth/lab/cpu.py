"""CPU time of a node's processes by core, read from each process, without a control group that counts it."""

import contextlib
import os
from pathlib import Path

from linkworth.lab import processes, system

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
        for pid in processes.all_pids():
            if pid != self._holder and inside and system.namespace_of(pid) == inside:
                self._add(pid)
        return list(self._cores)

    def _add(self, pid: int) -> None:
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            # Fields of proc(5), counted from the state, field 3: utime 14, stime 15, starttime 22, processor
            # 39.
            key = (pid, int(fields[19]))
            seconds = (int(fields[11]) + int(fields[12])) * _TICK
            core = int(fields[36])
            if core < len(self._cores):
                self._cores[core] += seconds - self._seen.get(key, 0.0)
                self._seen[key] = seconds
