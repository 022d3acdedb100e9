"""Helpers of the OTF2 tests: round trips, the output of otf2-print, and archives by other writers."""

import json
import os
import subprocess
import textwrap
from pathlib import Path
from typing import Any

from mpi_programs import compile_c, first_mpi
from run_program import output_of

from linkworth import _engine
from linkworth.convert import convert
from linkworth.model.conversion import ConversionOptions, ConversionSummary

TIMES = ("gap_seconds", "cpu_seconds", "duration_seconds", "overlap_seconds")
NANOSECOND = 1.01e-9
"""The resolution of an archive's clock; both ends of an interval are rounded to it."""


def events(trace: Path, rank: int, *, times: bool = False) -> list[dict[str, Any]]:
    """Return a rank's events, without their times unless asked for."""
    read = _engine.Trace(str(trace)).iterate(rank)
    return [{key: value for key, value in event.items() if times or key not in TIMES} for event in read]


def there_and_back(trace: Path, **options: Any) -> tuple[ConversionSummary, Path]:
    """Convert to an archive beside the trace and back; return the archive's summary and the new trace."""
    archive = convert(
        trace, "otf2", trace.with_suffix(".otf2"), options=ConversionOptions(**options), replace=True
    )
    back = convert(Path(archive.path), None, trace.with_suffix(".back.lwt"), replace=True)
    assert (back.source, back.target, back.ranks) == ("otf2", "lwt", archive.ranks)
    return archive, Path(back.path)


def assert_same(first: Path, second: Path) -> int:
    """Compare all events of two traces, their times to a nanosecond; return how many there are."""
    one, two = _engine.Trace(str(first)), _engine.Trace(str(second))
    assert one.ranks == two.ranks
    assert json.loads(one.metadata_json) == json.loads(two.metadata_json)
    count = 0
    for rank in range(one.ranks):
        mine, theirs = events(first, rank, times=True), events(second, rank, times=True)
        assert len(mine) == len(theirs)
        for event, back in zip(mine, theirs, strict=True):
            moved = [time for time in TIMES if abs(event[time] - back[time]) > NANOSECOND]
            changed = [key for key in event if key not in TIMES and event[key] != back[key]]
            assert not moved and not changed, f"rank {rank}: {event} came back as {back}"
        count += len(mine)
    return count


def printed(anchor: str | Path, *options: str) -> str:
    """Return what otf2-print prints; it must complain about nothing."""
    done = subprocess.run(
        ["otf2-print", "-Werror", *options, str(anchor)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


_WRITER = """
import sys, otf2
from otf2.enums import *
with otf2.writer.open(sys.argv[1], timer_resolution=int(sys.argv[2])) as trace:
    d = trace.definitions
    node = d.system_tree_node("node7", "node")
"""


def by_bindings(script: str, folder: Path, *, resolution: int = 10**9) -> None:
    """Write an archive of one node by a script that uses OTF2's own Python bindings."""
    script = _WRITER + textwrap.indent(script, "    ")
    output_of(["/usr/bin/python3", "-c", script, folder, str(resolution)])


def by_eztrace(source: str, kind: str, folder: Path) -> Path:
    """Record a C program on two ranks with EZTrace, which is built for the system's MPIs; return its archive's folder."""
    mpi = first_mpi(kind, below="/usr/bin/")
    compile_c(mpi, source, folder / "pair")
    options = ["--allow-run-as-root", "--oversubscribe"] if kind == "openmpi" else []
    command = [mpi.mpiexec, *options, "-n", "2", "eztrace", "-t", kind, "-o", "recorded", "./pair"]
    output_of(command, cwd=folder, env=os.environ, timeout=600)
    return folder / "recorded" / "pair_trace"
