"""The bundled programs and the tracer under AddressSanitizer and UndefinedBehaviorSanitizer, compiled once for all tests."""

import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import elf, joined, sources, wrappers
from linkworth.mpi.cache import built_once, cache_folder

ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0"}  # Open MPI itself leaks at exit
FIND_CLANG = Path(__file__).parents[1] / "scripts/find_fuzzer.sh"
FLAGS = ["-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


@cache
def cxx() -> str:
    """Return clang++ if it has the sanitizers, since it takes two thirds of the time of g++; else the machine's c++."""
    found = subprocess.run([FIND_CLANG], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "c++"


def program(part: str, mpi: MpiInstallation) -> Path:
    """Return a part's program."""

    def make(folder: Path) -> None:
        # Wrappers that do not know these variables call their own compiler.
        wrapper = ["env", f"OMPI_CXX={cxx()}", f"MPICH_CXX={cxx()}", mpi.mpicxx]
        # clang++ warns of loops that it does not vectorise, as none is without optimisation.
        flags = ["-Wno-pass-failed"] if "clang" in cxx() else []
        _link(wrapper, _compiled(wrapper, sources.recipe(part), folder, flags), folder / part)

    return built_once(cache_folder() / "sanitized" / part, part, make)


def tracer(mpi: MpiInstallation) -> Path:
    """Return the preload library of an MPI; what it is loaded into needs no sanitizer, but runtime() ahead of it."""

    def make(folder: Path) -> None:
        generated = wrappers.generate(folder, elf.exported_symbols(Path(mpi.library)))
        flags = ["-w", "-fPIC", "-pthread", f"-I{folder}"]
        recipe = sources.recipe("tracer")
        objects = _compiled([mpi.mpicc], recipe, folder, flags, generated)
        libraries = [f"-l{name}" for name in recipe.libraries]
        _link(["cc", "-shared"], objects, folder / "tracer.so", libraries)

    return built_once(
        cache_folder() / "sanitized" / f"tracer-{mpi.name.replace('@', '-')}", "tracer.so", make
    )


def runtime() -> Path | None:
    """Return AddressSanitizer's library, or None where the compiler has none."""
    asked = ["cc", "-print-file-name=libasan.so"]
    try:
        named = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    except (OSError, subprocess.CalledProcessError):
        return None
    return named.resolve() if named.is_absolute() and named.exists() else None


def _compiled(
    wrapper: Sequence[str],
    recipe: sources.Recipe,
    folder: Path,
    flags: Sequence[str] = (),
    more: Sequence[Path] = (),
) -> list[Path]:
    """Return the objects of a part, compiled from the files that users compile."""
    files = [*more, *joined.files(recipe, folder)]
    made = [folder / f"{number}-{source.stem}.o" for number, source in enumerate(files)]
    # Only the programs compute for longer than the compiler optimises.
    optimised = "-O1" if recipe.folder.name == "programs" else "-O0"

    def compiled(source: Path, made: Path) -> Path:
        command = [*wrapper, *recipe.flags, *FLAGS, optimised, *flags, f"-I{recipe.folder}"]
        subprocess.run([*command, "-c", str(source), "-o", str(made)], check=True)
        return made

    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(compiled, files, made))


def _link(
    linker: Sequence[str], objects: Sequence[Path], product: Path, libraries: Sequence[str] = ()
) -> None:
    subprocess.run([*linker, *FLAGS, *map(str, objects), "-o", str(product), *libraries], check=True)
