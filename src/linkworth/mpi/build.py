"""Native parts for one MPI, made once and kept in the user's cache: fitted from precompiled ones, else compiled here."""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import msgspec

import linkworth
from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import elf, identify, joined, precompiled, search, sources
from linkworth.mpi.cache import built_once, cache_folder

TRACER = "liblinkworth-tracer.so"
NPB = "lw-npb"
NETBENCH = "lw-netbench"
SIZE_PROBE = "lw-size-probe"
PRODUCTS = {"tracer": TRACER, "programs": NPB, "netbench": NETBENCH, "sizeprobe": SIZE_PROBE}
"""File that each part becomes."""
_TITLES = {
    "tracer": "the tracer",
    "programs": "the bundled programs",
    "netbench": "the network benchmarks",
    "sizeprobe": "the probe of launchers",
}
_GRACE_SECONDS = 2.0
"""Time in which a compiler that is stopped removes its files."""
_PAUSE_SECONDS = 0.02


def tracer(mpi: MpiInstallation) -> Path:
    """Return the preload library for an MPI. Raises EnvironmentLacksError if it cannot be built."""
    return _cached(mpi if precompiled.find(mpi, TRACER) else with_alike_compiler(mpi), "tracer")


def npb(mpi: MpiInstallation, *, planned: bool = False) -> Path:
    """Return the program `lw-npb` built for an MPI, or only its future path if `planned`.

    Raises EnvironmentLacksError if it cannot be built.
    """
    return _planned(mpi, "programs") if planned else _cached(mpi, "programs")


def netbench(mpi: MpiInstallation, *, planned: bool = False) -> Path:
    """Return the program `lw-netbench` built for an MPI, or only its future path if `planned`.

    Raises EnvironmentLacksError if it cannot be built.
    """
    return _planned(mpi, "netbench") if planned else _cached(mpi, "netbench")


def size_probe(mpi: MpiInstallation) -> Path:
    """Return the program that prints rank, size and host of each rank. Raises EnvironmentLacksError."""
    return _cached(mpi, "sizeprobe")


_GET_COMPILER = "get it with: apt-get install build-essential, or dnf install gcc-c++"
_DEVELOPMENT = {
    "openmpi": " (apt-get install libopenmpi-dev, or dnf install openmpi-devel)",
    "mpich": " (apt-get install libmpich-dev, or dnf install mpich-devel)",
    "intel": " (pip install impi-devel, or intel-oneapi-mpi-devel)",
}
_ONE_ABI = ("mpich", "intel", "mvapich", "cray")
"""Kinds with the handles, constants and structures of the MPICH ABI Compatibility Initiative."""


def with_alike_compiler(mpi: MpiInstallation) -> MpiInstallation:
    """Return an MPI, with the compiler wrapper of another MPI of the same ABI if it has none.

    Intel MPI from PyPI has no headers. The tracer is not linked with MPI, so headers of its ABI are enough.
    """
    if mpi.mpicc or mpi.kind not in _ONE_ABI or _has_standard_abi(mpi):
        return mpi
    alike = (
        other
        for other in search.find_all()
        if other.kind in _ONE_ABI and other.mpicc and not _has_standard_abi(other)
    )
    other = next(alike, None)
    return msgspec.structs.replace(mpi, mpicc=other.mpicc) if other else mpi


def _has_standard_abi(mpi: MpiInstallation) -> bool:
    return Path(mpi.library).name.startswith("libmpi_abi")


def _cached(mpi: MpiInstallation, part: str) -> Path:
    product = PRODUCTS[part]
    shipped = precompiled.find(mpi, product)
    place = _place(mpi, part, shipped)
    if shipped is not None:
        return built_once(
            place, product, lambda work: precompiled.fit(shipped, mpi, work / product), what=None
        )
    return built_once(
        place,
        product,
        lambda work: compile_part(mpi, part, sources.recipe(part), work, work / product),
        what=f"{_TITLES[part]} for {mpi.name}",
    )


def _planned(mpi: MpiInstallation, part: str) -> Path:
    product = PRODUCTS[part]
    return _place(mpi, part, precompiled.find(mpi, product)) / product


def _place(mpi: MpiInstallation, part: str, shipped: Path | None) -> Path:
    """Return the cache folder of a part for its current sources, or for its precompiled file."""
    key = _key(mpi, part, sources.recipe(part)) if shipped is None else _key_of_fitted(mpi, shipped)
    return cache_folder() / "mpi" / f"{part}-{mpi.name.replace('@', '-')}-{key[:16]}"


def _key_of_fitted(mpi: MpiInstallation, shipped: Path) -> str:
    return _hash([*_identity(Path(mpi.library)), *_identity(shipped), linkworth.__version__])


def _identity(file: Path) -> list[str]:
    status = file.stat()
    return [str(file), str((status.st_size, status.st_mtime_ns))]


def _hash(facts: list[str]) -> str:
    return hashlib.sha256(os.fsencode("\0".join(facts))).hexdigest()


def _key(mpi: MpiInstallation, part: str, recipe: sources.Recipe) -> str:
    facts = [
        *_identity(Path(mpi.library)),
        mpi.version,
        mpi.mpicc,
        mpi.mpicxx,
        sources.digest(recipe),
        linkworth.__version__,
        platform.machine(),
    ]
    if part == "tracer":
        generator = [*sorted(Path(__file__).parent.glob("wrapper*.py")), recipe.folder / "wrappers.toml"]
        facts += [hashlib.sha256(file.read_bytes()).hexdigest() for file in generator]
        facts.append(metadata.version("pympistandard"))
    if "-march=native" in recipe.flags:
        facts.append(precompiled.processor())
    return _hash(facts)


class Portable(NamedTuple):
    """Differences of a part that serves every library of an ABI (`linkworth.mpi.precompiled`)."""

    procedures: set[str]
    """Procedures that the tracer wraps."""
    link: list[str]
    """Arguments for linking. They replace the MPI's own."""


def compile_part(
    mpi: MpiInstallation,
    part: str,
    recipe: sources.Recipe,
    work: Path,
    product: Path,
    portable: Portable | None = None,
) -> None:
    """Compile a part with an MPI's compiler wrapper in the folder `work`. Raises EnvironmentLacksError with the reason."""
    wrapper, language = (mpi.mpicc, "C") if part == "tracer" else (mpi.mpicxx, "C++")
    if not wrapper:
        raise EnvironmentLacksError(
            f"{mpi.name} has no compiler wrapper for {language} here; install its development package"
            f"{_DEVELOPMENT.get(mpi.kind, '')}"
        )
    flags = [*recipe.flags, f"-I{recipe.folder}"]
    files = joined.files(recipe, work)
    line = identify.compile_line(Path(wrapper))
    if line and not shutil.which(line.compiler[-1]):
        raise EnvironmentLacksError(
            f"{wrapper} calls the compiler {line.compiler[-1]}, which is not installed; {_GET_COMPILER}"
        )
    if part == "tracer":
        from linkworth.mpi import wrappers

        generated = work / "generated"
        generated.mkdir()
        procedures = portable.procedures if portable else elf.exported_symbols(Path(mpi.library))
        files = [*wrappers.generate(generated, procedures), *files]
        flags += ["-fPIC", "-pthread", f"-I{generated}"]
        # The wrapper would link the MPI library, but the preload library must use the program's own.
        linker = [*(line.compiler if line else ["cc"]), "-shared", "-pthread"]
    else:
        linker = line.compiler if portable and line else [wrapper]
    log = work / "build.log"
    made = [work / f"{number}-{file.stem}.o" for number, file in enumerate(files)]
    compilers = _Compilers()

    def compile_one(file: Path, result: Path) -> str:
        return compilers.call([wrapper, *flags, "-c", str(file), "-o", str(result)], work, log)

    link = [*linker, *map(str, made), "-o", str(product), *(portable.link if portable else [])]
    link += [f"-l{name}" for name in recipe.libraries]
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        try:
            for failure in pool.map(compile_one, files, made):
                if failure:
                    raise _failed(part, mpi, failure, log, work)
            failure = pool.submit(compilers.call, link, work, log).result()
        except KeyboardInterrupt:
            compilers.stop()  # the pool waits for them
            raise
    if failure:
        raise _failed(part, mpi, failure, log, work)
    for file in made:
        file.unlink()


class _Compilers:
    """Compilers of one build, which all end if it is interrupted."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def stop(self) -> None:
        """End those that run, and start no others."""
        self._stopped = True
        for process in list(self._running):
            self._end(process)

    def call(self, command: list[str], folder: Path, log: Path) -> str:
        """Run a compiler. Return "" or the most informative line of its output."""
        if self._stopped:
            return "it was interrupted"
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                process_group=0,  # with the further processes that a compiler starts
            )
        except OSError as error:
            return f"{command[0]}: {error.strerror}"
        self._running.add(process)
        if self._stopped:
            self._end(process)
        said = "".join(process.communicate())
        self._running.discard(process)
        with log.open("a", errors="backslashreplace") as file:
            file.write(f"$ {' '.join(command)}\n{said}")
        if process.returncode == 0:
            return ""
        lines = [text.strip() for text in said.splitlines() if re.search(r"\w", text)]
        telling = [text for text in lines if re.search(r"error|not found|undefined", text, re.IGNORECASE)]
        return (telling or lines or [f"{command[0]} left with exit code {process.returncode}"])[0]

    @staticmethod
    def _end(process: "subprocess.Popen[str]") -> None:
        """End a compiler with all that it started. What misses the request is killed, or its output would be awaited."""
        deadline = time.monotonic() + _GRACE_SECONDS
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            while time.monotonic() < deadline:
                process.poll()  # until then it counts as a member of its group
                os.killpg(process.pid, 0)
                time.sleep(_PAUSE_SECONDS)
            os.killpg(process.pid, signal.SIGKILL)


def _failed(part: str, mpi: MpiInstallation, failure: str, log: Path, work: Path) -> EnvironmentLacksError:
    """Store the log beside the cache and return the error that names it."""
    kept = work.parent / f"{part}-{mpi.name.replace('@', '-')}-failed.log"
    if log.is_file():
        shutil.copyfile(log, kept)
    hint = ""
    if re.search(r"not found|No such file", failure) and not (shutil.which("cc") or shutil.which("gcc")):
        hint = f"; {_GET_COMPILER}"
    return EnvironmentLacksError(
        f"cannot build {_TITLES[part]} for {mpi.name}: {failure}{hint} (all messages: {kept})"
    )
