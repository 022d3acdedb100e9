"""A small MPI program that ends in the way that its argument names, compiled for an MPI of this machine."""

import contextlib
import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from run_program import output_of

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build, find, preload
from linkworth.places.job import Job, Stream
from linkworth.places.local import LocalLauncher
from linkworth.places.mpiexec import ROOT_ALLOWED

SOURCE = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size;
    const char *how = argc > 1 ? argv[1] : "well";
    if (!strcmp(how, "before")) return 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 100; i++) {
        double x = rank, sum;
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("ranks %d\n", size);
    if (!strcmp(how, "put")) {
        double own[10] = {0}, there[10];
        MPI_Win window;
        MPI_Win_create(there, sizeof there, sizeof *there, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_fence(0, window);
        MPI_Put(own, 10, MPI_DOUBLE, (rank + 1) % size, 0, 10, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
    }
    if (!strcmp(how, "persistent")) {
        char out[300] = {0}, in[300];
        MPI_Request sends[2], receives[2];
        for (int i = 0; i < 2; i++) {
            MPI_Send_init(out, 100, MPI_CHAR, (rank + 1) % size, i, MPI_COMM_WORLD, &sends[i]);
            MPI_Recv_init(in, 100, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &receives[i]);
        }
        for (int i = 0; i < 3; i++) {
            MPI_Start(&sends[0]);
            MPI_Start(&receives[1]);
            MPI_Wait(&sends[0], MPI_STATUS_IGNORE);
            MPI_Wait(&receives[1], MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < 2; i++) {
            MPI_Request_free(&sends[i]);
            MPI_Request_free(&receives[i]);
        }
    }
    if (rank == 0 && !strcmp(how, "read")) { char line[64]; if (fgets(line, sizeof line, stdin)) printf("read %s", line); }
    fflush(stdout);
    if (!strcmp(how, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 5);
    if (!strcmp(how, "kill") && rank == 1) raise(SIGKILL);
    if (!strcmp(how, "crash") && rank == 1) raise(SIGSEGV);
    if (!strcmp(how, "exit") && rank == 1) exit(9);
    if (!strcmp(how, "hang")) {
        char made[4096];
        snprintf(made, sizeof made, "%s.%d", argv[0], rank);
        fclose(fopen(made, "w"));
        for (;;) sleep(1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return !strcmp(how, "fail") ? 6 : 0;
}
"""
ALLREDUCES = 100
Died = TypeVar("Died")
RANK = re.compile(rb"(?:^|\0)(?:PMI_RANK|OMPI_COMM_WORLD_RANK)=(\d+)\0")


def hanging(program: Path, ranks: int) -> list[Path]:
    """Return the files that mark each rank that hangs."""
    return [program.with_name(f"{program.name}.{rank}") for rank in range(ranks)]


UNTIL_STOPPED = 60.0
"""Seconds that a program which dies is given: it takes a few on a machine that does much else."""


def ranks_left(program: Path) -> dict[int, str]:
    """Return the ranks of a program that have not ended, each with its state in the kernel."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            # A zombie has neither: it is not left.
            command = (process / "cmdline").read_bytes().split(b"\0")
            rank = RANK.search((process / "environ").read_bytes())
            if command[0] != os.fsencode(program) or rank is None:
                continue
            lines = []
            for task in (process / "task").iterdir():
                for file in ("stat", "syscall", "stack"):
                    with contextlib.suppress(OSError):
                        lines.append(f"  {task.name} {file}: {(task / file).read_text().strip()}")
            found[int(rank[1])] = "\n".join(lines)
    return found


class Remaining:
    """Records the ranks that still run some seconds after a program's start, with their states in the kernel."""

    def __init__(self, program: Path, after: float = UNTIL_STOPPED - 5) -> None:
        self.program = program
        self.after = after
        self.ranks: set[int] | None = None
        """None: it had ended by then."""

    def output(self, stream: Stream, data: bytes) -> None:
        """Take what the job wrote: nothing of it is needed."""

    def tick(self, seconds: float) -> None:
        """Look once; pytest shows what is printed where the test fails."""
        if self.ranks is not None or seconds < self.after:
            return
        left = ranks_left(self.program)
        self.ranks = set(left)
        for rank, said in left.items():
            print(f"rank {rank} is left after {seconds:.0f} s\n{said}")


def until_it_dies(
    run: Callable[..., Died],
    program: Path,
    how: str,
    note: Callable[[str, object], None],
    *,
    state: Callable[[Died], str],
    rank: int = 1,
) -> Died:
    """Run a program one rank of which ends early; once more where that rank is gone and its launcher waits for ever.

    Of a rank that is gone only the launcher can know: the others wait for it, as they must. A rank that should have
    ended and is still there is no fault of the launcher's: it fails the test, which shows what the ranks did. The
    summary of the tests says of each run that was repeated.
    """
    remaining = Remaining(program)
    found = run(timeout=UNTIL_STOPPED, watcher=remaining)
    if not state(found).startswith("timeout") or remaining.ranks is None or rank in remaining.ranks:
        return found
    note("repeated", f"{how}: rank {rank} had gone, and mpiexec waited for {sorted(remaining.ranks)}")
    return run(timeout=UNTIL_STOPPED)


def fault_of(mpi: MpiInstallation, *, timed_out: bool, said: str) -> str | None:
    """Return which known fault of an MPI between sockets explains how a program ended; None: no such fault.

    Both come without linkworth, too, and were found in the stacks of the ranks (2026-11).
    """
    if mpi.kind == "mpich" and mpi.version.startswith("4.0") and timed_out:
        return "in MPI_Finalize a rank flushed its UCX connection to one that already waited for PMI only"
    if mpi.kind == "openmpi" and "Signal: Segmentation fault" in said and "(ompi_mpi_init+" in said:
        return "in MPI_Init a rank fell over a peer that had connected by TCP already"
    return None


def settling(mpi: MpiInstallation) -> dict[str, str]:
    """Return the variables with which a lab keeps an MPI from its known hang in MPI_Finalize, for other places of a test."""
    if not preload.must_settle(mpi):
        return {}
    return preload.environment(build.tracer(mpi), yielding=True) | {preload.SETTLE: "1"}


def despite_faults(
    mpi: MpiInstallation,
    run: Callable[[], Died],
    note: Callable[[str, object], None],
    *,
    ending: Callable[[Died], tuple[bool, str]],
) -> Died:
    """Run a program whose ranks talk through sockets, again where a known fault of its MPI ended it, three times at most.

    `ending` tells of a run whether its time was up, and what it wrote. The summary of the tests says of each run that
    was repeated.
    """
    for _ in range(3):
        found = run()
        timed_out, said = ending(found)
        fault = fault_of(mpi, timed_out=timed_out, said=said)
        if fault is None:
            return found
        note("repeated", f"{mpi.name}: {fault}")
    return run()


def started(
    mpi: MpiInstallation,
    ranks: int,
    command: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    *,
    timeout: float,
) -> "subprocess.CompletedProcess[str]":
    """Start a program on a number of ranks of an MPI, as linkworth does, and wait for its end."""
    launcher = LocalLauncher(mpi)
    spins = launcher.spins_when_crowded and ranks > launcher.cores
    yielding = preload.environment(build.tracer(mpi), yielding=True) if spins else {}
    job = Job(command=list(map(str, command)), ranks=ranks, environment=yielding | dict(environment or {}))
    return subprocess.run(
        launcher.arguments(job),
        env=os.environ | ROOT_ALLOWED,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )


@cache
def usable_mpis() -> list[MpiInstallation]:
    """MPIs that can compile and start a program."""
    return [mpi for mpi in find.find_all() if mpi.mpicc and mpi.mpiexec]


def first_mpi(kind: str, *, below: str = "") -> MpiInstallation:
    """Return the first usable MPI of a kind whose compiler wrapper is below a folder; skip the test where there is none."""
    for mpi in usable_mpis():
        if mpi.kind == kind and mpi.mpicc.startswith(below):
            return mpi
    pytest.skip(f"no {kind} with a compiler wrapper was found" + (f" below {below}" if below else ""))


def each_mpi() -> list:
    """Parameters for a test with every MPI here; one skipped parameter where there is none."""
    found = usable_mpis()
    if not found:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason="no MPI was found"))]
    return [pytest.param(mpi, id=mpi.name) for mpi in found]


def each_launcher() -> list:
    """Parameters for a test with the newest MPI of each launcher; MPICH has one for all its versions."""
    found = {
        mpi.version.split(".")[0] if mpi.kind == "openmpi" else mpi.kind: mpi
        for mpi in reversed(usable_mpis())
    }
    return [pytest.param(mpi, id=mpi.name) for mpi in found.values()] or each_mpi()


def compile_c(mpi: MpiInstallation, source: str, program: Path, *flags: str) -> Path:
    """Compile a program from C code for an MPI, and return it."""
    file = program.with_name(f"{program.name}.c")
    file.write_text(source)
    output_of([mpi.mpicc, *flags, file, "-o", program])
    return program


def compiled(mpi: MpiInstallation, folder: Path) -> Path:
    """Compile the program for an MPI."""
    return compile_c(mpi, SOURCE, folder / "ends")
