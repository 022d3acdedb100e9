"""The lab's user-space switch as a process of a test."""

import signal
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Self

from linkworth.lab import switch
from linkworth.places import proc


class Switch:
    """A running switch. Its devices exist from its construction until it is closed or killed."""

    def __init__(self, ports: Sequence[switch.SwitchPort], counters: Path, *, seed: int = 1) -> None:
        """Start it. Raises RuntimeError with the reason if a device cannot be made."""
        self._counters = counters
        self._process = subprocess.Popen(
            [str(switch.program()), *switch.describe(ports, counters=counters, seed=seed)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[port.descriptor for port in ports if port.descriptor is not None],
            preexec_fn=partial(proc.die_with_parent, signal.SIGKILL),
        )
        assert self._process.stdout
        answer = self._process.stdout.readline().split()
        if answer[:1] != ["ready"]:
            raise RuntimeError(self.close())
        self.real_time = answer[1:] == ["fifo"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def counted(self) -> dict[str, SimpleNamespace]:
        """Return the counters of each port (native/lab/switch/network.h) from its last write, {} before the first."""
        if not self._counters.exists():
            return {}
        names, *rows = [line.split() for line in self._counters.read_text().splitlines()]
        return {
            row[0]: SimpleNamespace(**dict(zip(names[1:], map(int, row[1:]), strict=True))) for row in rows
        }

    def close(self) -> str:
        """End it, which removes its devices, and return its standard error."""
        self._process.terminate()
        _, said = self._process.communicate()
        return said.strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
