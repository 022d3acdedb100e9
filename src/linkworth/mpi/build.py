"""Builds the native parts for one MPI, once, and keeps them in the user's cache."""

import hashlib
import os
import platform
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import msgspec

import linkworth
from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import elf, identify, joined, objects, progress, search, sources
from linkworth.mpi.cache import building, built_once, cache_folder

TRACER = "liblinkworth-tracer.so"
NPB = "lw-npb"
NETBENCH = "lw-netbench"
SIZE_PROBE = "lw-size-probe"
_TITLES = {
    "tracer": "the tracer",
    "programs": "the bundled programs",
    "netbench": "the network benchmarks",
    "sizeprobe": "the probe of launchers",
}


def tracer(mpi: MpiInstallation) -> Path:
    """Return the preload library for an MPI. Raises EnvironmentLacksError if it cannot be built."""
    return _cached(with_alike_compiler(mpi), "tracer", TRACER)


def npb(mpi: MpiInstallation, *, planned: bool = False) -> Path:
    """Return the program `lw-npb` built for an MPI, or only its future path if `planned`.

    Raises EnvironmentLacksError if it cannot be built.
    """
    return _place(mpi, "programs") / NPB if planned else _cached(mpi, "programs", NPB)


def netbench(mpi: MpiInstallation, *, planned: bool = False) -> Path:
    """Return the program `lw-netbench` built for an MPI, or only its future path if `planned`.

    Raises EnvironmentLacksError if it cannot be built.
    """
    return _place(mpi, "netbench") / NETBENCH if planned else _cached(mpi, "netbench", NETBENCH)


def size_probe(mpi: MpiInstallation) -> Path:
    """Return the program that prints rank, size and host of each rank. Raises EnvironmentLacksError."""
    return _cached(mpi, "sizeprobe", SIZE_PROBE)


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


def _cached(mpi: MpiInstallation, part: str, product: str) -> Path:
    return built_once(
        _place(mpi, part),
        product,
        lambda work: _build(mpi, part, sources.recipe(part), work, work / product),
        what=f"{_TITLES[part]} for {mpi.name}",
    )


def _place(mpi: MpiInstallation, part: str) -> Path:
    """Return the cache folder of a part for its current sources."""
    key = _key(mpi, part, sources.recipe(part))
    return cache_folder() / "mpi" / f"{part}-{mpi.name.replace('@', '-')}-{key[:16]}"


def _key(mpi: MpiInstallation, part: str, recipe: sources.Recipe) -> str:
    status = Path(mpi.library).stat()
    facts = [
        mpi.library,
        str((status.st_size, status.st_mtime_ns)),
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
        facts.append(objects.processor())
    return hashlib.sha256(os.fsencode("\0".join(facts))).hexdigest()


def _build(mpi: MpiInstallation, part: str, recipe: sources.Recipe, work: Path, product: Path) -> None:
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
        files = [*wrappers.generate(generated, elf.exported_symbols(Path(mpi.library))), *files]
        flags += ["-fPIC", "-pthread", f"-I{generated}"]
        # The wrapper would link the MPI library, but the preload library must use the program's own.
        linker = [*(line.compiler if line else ["cc"]), "-shared", "-pthread"]
    else:
        linker = [wrapper]
    log = work / "build.log"
    made = [work / f"{number}-{file.stem}.o" for number, file in enumerate(files)]
    places = objects.places(cache_folder(), recipe, line)

    def compile_one(source: Path, result: Path) -> str:
        kept = places.get(source)
        if kept is None or line is None:
            return _call([wrapper, *flags, "-c", str(source), "-o", str(result)], work, log)
        # Programs for several MPIs may be built at once, and share these objects.
        with building(kept):
            if not kept.is_file():
                failure = _call([*line.compiler, *flags, "-c", str(source), "-o", str(result)], work, log)
                if failure:
                    return failure
                objects.keep(result, kept)
                result.unlink()
        result.symlink_to(kept)
        return ""

    progress.steps(len(files) + 1)
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        for failure in pool.map(compile_one, files, made):
            if failure:
                raise _failed(part, mpi, failure, log, work)
            progress.step()
    link = [*linker, *map(str, made), "-o", str(product), *(f"-l{name}" for name in recipe.libraries)]
    failure = _call(link, work, log)
    if failure:
        raise _failed(part, mpi, failure, log, work)
    for file in made:
        file.unlink()


def _call(command: list[str], folder: Path, log: Path) -> str:
    """Run a compiler. Return "" or the most informative line of its output."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    said = done.stdout + done.stderr
    with log.open("a", errors="backslashreplace") as file:
        file.write(f"$ {' '.join(command)}\n{said}")
    if done.returncode == 0:
        return ""
    lines = [text.strip() for text in said.splitlines() if re.search(r"\w", text)]
    telling = [text for text in lines if re.search(r"error|not found|undefined", text, re.IGNORECASE)]
    return (telling or lines or [f"{command[0]} left with exit code {done.returncode}"])[0]


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
