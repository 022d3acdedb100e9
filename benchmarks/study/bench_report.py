"""Time and peak memory of the report of a study of many predictions.

`linkworth study report` of 10,000 predictions is to take at most 60 s and 500 MB.
"""

import math
import os
import sys
import tempfile
import time
from pathlib import Path

from linkworth.study.outcome import Outcome
from linkworth.study.runner import record_of
from linkworth.study.store import Store, now

STUDIES = [(10, 64), (20, 64), (100, 100)]
"""Workloads and environments of each study; each pair is one prediction."""
LIMIT_SECONDS = 60.0
LIMIT_BYTES = 500e6

TEXT = """\
mode = "predict"
workloads = [{{ run = "npb:ft.S", name = "program ${{workload}}" }}]
ranks = 4
nodes = 2
[variables]
workload = [{workloads}]
network = [{networks}]
[[environments]]
name = "network-${{network}}"
fabric = "gbe"
usd_per_node_hour = 1.0
"""


def made(folder: Path, workloads: int, environments: int) -> Path:
    """Return the folder of a study whose predictions are written there as a study writes them, without replays."""
    file = folder / "many.toml"
    file.write_text(
        TEXT.format(
            workloads=", ".join(map(str, range(workloads))), networks=", ".join(map(str, range(environments)))
        )
    )
    store = Store.create(folder / "many.study", file)
    for number, planned in enumerate(store.planned):
        seconds = 1.0 + abs(math.sin(number))
        metrics = {
            "seconds": seconds,
            "critical_compute_seconds": 0.5 * seconds,
            "critical_overhead_seconds": 0.1 * seconds,
            "critical_latency_seconds": 0.1 * seconds,
            "critical_bandwidth_seconds": 0.2 * seconds,
            "critical_wait_seconds": 0.1 * seconds,
            "internode_bytes": 1e9,
            "messages": 1e6,
            "parallel_efficiency": 0.5,
            "load_balance": 0.9,
            "communication_efficiency": 0.56,
            "serialisation_efficiency": 0.9,
            "transfer_efficiency": 0.62,
            "compute_share": 0.5,
            "communication_share": 0.5,
        }
        facts = {"ranks": "4", "nodes": "2", "placement": "block", "collectives of": "mpich"}
        store.write(record_of(planned, Outcome(state="done", metrics=metrics, facts=facts), now(), []))
    return store.folder


def measured(folder: Path, *options: str) -> tuple[float, float, float, int]:
    """Return seconds, CPU seconds, peak memory and written bytes of the report of the study in `folder`."""
    command = [sys.executable, "-m", "linkworth", "study", "report", str(folder), *options]
    began = time.monotonic()
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(sys.executable, command, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    seconds = time.monotonic() - began
    if status:
        sys.exit(f"the report ended with {os.waitstatus_to_exitcode(status)}")
    size = sum(path.stat().st_size for path in (folder / "report").rglob("*") if path.is_file())
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024.0, size


def main() -> None:
    studies = [tuple(map(int, text.split("x"))) for text in sys.argv[1:]] or STUDIES
    for workloads, environments in studies:
        with tempfile.TemporaryDirectory(prefix="linkworth-report-") as name:
            seconds, busy, memory, size = measured(made(Path(name), workloads, environments))
        count = workloads * environments
        print(
            f"{count:6} predictions ({workloads} x {environments})  {seconds:7.1f} s  ({busy:.1f} s of CPU)  "
            f"{memory / 1e6:8.0f} MB  {size / 1e6:7.1f} MB written",
            flush=True,
        )
        if count == 10_000 and (seconds > LIMIT_SECONDS or memory > LIMIT_BYTES):
            print(f"the limit is {LIMIT_SECONDS:g} s and {LIMIT_BYTES / 1e6:g} MB")


if __name__ == "__main__":
    main()
