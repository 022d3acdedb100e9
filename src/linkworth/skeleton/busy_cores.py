"""Busy cores of this machine while something is timed."""

import time
from pathlib import Path

from linkworth.places.counters import node_counters


class BusyCores:
    """Counter over all processes of the machine, from its creation on."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._start = time.monotonic()
        self._before = self._read()

    @property
    def cores(self) -> int:
        """Cores of the machine; 0 if unknown."""
        return len(self._before)

    def mean(self) -> float | None:
        """Return the mean number of busy cores until now; None if the kernel does not report it."""
        elapsed = time.monotonic() - self._start
        now = self._read()
        if not self._before or len(now) != len(self._before) or elapsed <= 0:
            return None
        return max(0.0, sum(now) - sum(self._before)) / elapsed

    def _read(self) -> list[float]:
        return node_counters("", self._proc / "net", self._proc / "stat").core_seconds
