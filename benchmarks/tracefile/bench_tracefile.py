"""Claim: a trace is read at hundreds of millions of events a second on one core, and costs few bytes an event.

In CPU time (everything here runs on one core). Baselines in the same run: iterating the same events in Python, and copying
the uncompressed bytes in memory.
"""

import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from linkworth import _engine

RANKS = 4
TURNS = 60_000
REPEATS = 5


def write(path: Path, *, noisy: bool) -> None:
    """Write a halo exchange: two receives, two sends, one wait a turn; times constant, or as real clocks scatter them."""
    noise = random.Random(1)
    writer = _engine.TraceWriter(str(path), RANKS, json.dumps({"workload": path.stem}))

    def seconds(typical: float) -> float:
        return typical * noise.lognormvariate(0, 0.3) if noisy else typical

    for rank in range(RANKS):
        left, right = (rank - 1) % RANKS, (rank + 1) % RANKS
        done = {"mode": 1, "listed": 4, "completions": [(number, False, 0, 0) for number in (4, 3, 2, 1)]}
        for _ in range(TURNS):
            for peer in (left, right):
                fields = {"peer": peer, "tag": 1, "bytes": 8192}
                writer.event(rank, "MPI_Irecv", "irecv", fields, seconds(2e-7), -1, seconds(1e-7))
            for peer, gap, cpu in ((left, 2e-5, 1.9e-5), (right, 1e-7, -1.0)):
                fields = {"peer": peer, "tag": 1, "bytes": 8192}
                writer.event(rank, "MPI_Isend", "isend", fields, seconds(gap), cpu, seconds(3e-7))
            writer.event(rank, "MPI_Waitall", "complete", done, seconds(1e-7), -1, seconds(5e-6))
    writer.close()


def fastest(work: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of some repetitions."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def measure(path: Path) -> None:
    trace = _engine.Trace(str(path))
    some = 20_000
    iterator = iter(trace.iterate(0))
    start = time.process_time()
    for _ in range(some):
        next(iterator)
    python = some / (time.process_time() - start)
    decode = trace.events / fastest(trace.check)
    scan = trace.events / fastest(lambda: _engine.profile_trace(trace))
    opening = fastest(lambda: _engine.Trace(str(path)))
    raw = bytearray(trace.raw_bytes)
    copy = trace.events / fastest(lambda: raw.copy())
    raw_bytes, stored_bytes = trace.raw_bytes / trace.events, trace.file_bytes / trace.events
    print(f"{path.stem}: {trace.events:,} events on {trace.ranks} ranks")
    print(f"  bytes an event      {raw_bytes:8.2f} raw, {stored_bytes:.2f} in the file")
    print(f"  Python iteration    {python / 1e6:8.2f} M events/s  (baseline)")
    print(f"  memory copy         {copy / 1e6:8.1f} M events/s  (upper bound)")
    for what, rate in (("decode", decode), ("profile pass", scan)):
        print(
            f"  {what:<18}  {rate / 1e6:8.1f} M events/s  {rate / python:.0f} x Python, 1/{copy / rate:.0f} of a copy"
        )
    print(f"  open, checksums     {trace.file_bytes / opening / 1e9:8.2f} GB/s of file")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, noisy in (("regular times", False), ("scattered times", True)):
            path = Path(folder) / f"{name}.lwt"
            write(path, noisy=noisy)
            measure(path)


if __name__ == "__main__":
    main()
