"""Builds the tracer and the test programs for each MPI of this machine, and runs them under it."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from mpi_programs import UNTIL_STOPPED, Remaining, until_it_dies
from part_reader import Part, read_parts
from run_program import output_of

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build, elf, find
from linkworth.places.job import Stream
from linkworth.places.mpiexec import ROOT_ALLOWED
from linkworth.places.process import run_session

PROGRAMS = Path(__file__).parent / "programs"
Note = Callable[[str, object], None]
MPIS = [mpi for mpi in find.find_all() if mpi.mpicc and mpi.mpiexec]

# Open MPI 4.1 now and then hangs in MPI_Dist_graph_create, traced or not, with the component that it prefers.
WITHOUT_TREEMATCH = {"OMPI_MCA_topo": "basic"}


@dataclass
class Run:
    """Output and parts of a test program's run."""

    returncode: int
    stdout: str
    stderr: str
    parts: list[Part]


class Seen:
    """Keeps what a job writes, and hands its ticks on."""

    def __init__(self, watcher: Remaining | None) -> None:
        self.watcher = watcher
        self.text: dict[Stream, bytes] = {"stdout": b"", "stderr": b""}

    def output(self, stream: Stream, data: bytes) -> None:
        self.text[stream] += data

    def tick(self, seconds: float) -> None:
        if self.watcher:
            self.watcher.tick(seconds)


class Bench:
    """One MPI with its tracer: compiles test programs with it and runs them."""

    def __init__(self, mpi: MpiInstallation, folder: Path) -> None:
        self.mpi = mpi
        self.folder = folder
        self.tracer = build.tracer(mpi)

    def has(self, procedure: str) -> bool:
        """Return True if the MPI library exports the procedure."""
        return procedure in elf.exported_symbols(Path(self.mpi.library))

    def needs(self, procedure: str) -> None:
        """Skip the test where the MPI library lacks a procedure."""
        if not self.has(procedure):
            pytest.skip(f"{self.mpi.name} has no {procedure}")

    def compile(self, source: str, *flags: str, output: str = "program") -> Path:
        # -w: some mpi.h make compilers warn of MPI_STATUSES_IGNORE.
        program = self.folder / output
        output_of([self.mpi.mpicc, "-O1", "-w", PROGRAMS / source, "-o", program, *flags])
        return program

    def _command(self, *command: str | Path, ranks: int) -> list[str]:
        oversubscribe = ["--oversubscribe"] if self.mpi.kind == "openmpi" else []
        return [self.mpi.mpiexec, *oversubscribe, "-n", str(ranks), *map(str, command)]

    def _environment(self) -> dict[str, str]:
        return {**ROOT_ALLOWED, **WITHOUT_TREEMATCH, "LD_PRELOAD": str(self.tracer)}

    def launch(self, *command: str | Path, ranks: int, environment: dict[str, str]) -> Run:
        """Run a command on ranks, with the tracer preloaded."""
        done = subprocess.run(
            self._command(*command, ranks=ranks),
            env={**os.environ, **self._environment(), **environment},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        folder = environment.get("LINKWORTH_TRACE_DIR")
        parts = read_parts(Path(folder)) if folder else []
        return Run(done.returncode, done.stdout, done.stderr, parts)

    def record_until_it_dies(self, program: Path, ending: str, *, ranks: int, note: Note) -> Run:
        """Run a program whose rank 0 ends early, and read its parts."""

        def record(timeout: float, watcher: Remaining | None = None) -> Run | None:
            folder = self.folder / "parts"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            words = self._command(program, ending, ranks=ranks)
            told = {"LINKWORTH_TRACE_DIR": str(folder), "LINKWORTH_YIELD": "1"}
            seen = Seen(watcher)
            end = run_session(
                words, seen, environment={**self._environment(), **told}, timeout=timeout, folder=self.folder
            )
            if end.timed_out:
                return None
            return Run(
                end.exit_code, seen.text["stdout"].decode(), seen.text["stderr"].decode(), read_parts(folder)
            )

        def state(run: Run | None) -> str:
            return "ended" if run else "timeout"

        run = until_it_dies(record, program, ending, note, state=state, rank=0)
        assert run, f"{ending}: it ran longer than {UNTIL_STOPPED:g} s"
        return run

    def record(self, *command: str | Path, ranks: int = 4, yielding: bool = True, **environment: str) -> Run:
        """Run a command and read its parts."""
        folder = self.folder / "parts"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        told = {"LINKWORTH_TRACE_DIR": str(folder), "LINKWORTH_YIELD": "1" if yielding else "0"}
        return self.launch(*command, ranks=ranks, environment={**told, **environment})


def _kind_of_handles(mpi: MpiInstallation) -> str:
    return "abi" if mpi.name.endswith("-abi") else mpi.kind


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with one MPI for each kind of handles, which is what the tracer depends on.

    A module with EVERY_MPI runs with each MPI, one with ONE_ABI with one ABI of each library. Ranks yield with each of them
    and spin with the first one, as calls pass on to every library alike unless ranks yield.
    """
    if "bench" not in metafunc.fixturenames:
        return
    mpis = MPIS
    if not getattr(metafunc.module, "EVERY_MPI", False):
        mpis = list({_kind_of_handles(mpi): mpi for mpi in reversed(MPIS)}.values())
    if getattr(metafunc.module, "ONE_ABI", False):
        mpis = [mpi for mpi in mpis if not mpi.name.endswith("-abi")]
    if "yielding" in metafunc.fixturenames and not list(metafunc.definition.iter_markers("parametrize")):
        ways = [(mpi, True) for mpi in mpis] + [(mpi, False) for mpi in mpis[:1]]
        names = [f"{mpi.name}-{'yielding' if yielding else 'spinning'}" for mpi, yielding in ways]
        metafunc.parametrize(("bench", "yielding"), ways, ids=names, indirect=["bench"])
        return
    metafunc.parametrize("bench", mpis, ids=[mpi.name for mpi in mpis], indirect=True)


@pytest.fixture
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    """Return the bench of one MPI; without any MPI the tests are skipped."""
    return Bench(request.param, tmp_path)


@pytest.fixture
def bench_of(tmp_path: Path) -> Callable[[str], Bench]:
    """Return what makes the bench of an MPI by its name, for tests that one MPI is enough for."""

    def made(name: str) -> Bench:
        for mpi in MPIS:
            if mpi.name == name:
                return Bench(mpi, tmp_path)
        pytest.skip(f"{name} is not installed")

    return made
