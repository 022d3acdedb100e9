"""The bundled programs and the tracer under AddressSanitizer and UndefinedBehaviorSanitizer, compiled once for all tests."""

import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import elf, sources, wrappers
from linkworth.mpi.cache import built_once, cache_folder

ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0"}  # Open MPI itself leaks at exit
FLAGS = ["-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]  # the later -O wins


def program(part: str, mpi: MpiInstallation) -> Path:
    """Return a part's program; its objects, and the headers that each was made from (`.d`), are beside it."""
    recipe = sources.recipe(part)

    def make(folder: Path) -> None:
        with ThreadPoolExecutor(max_workers=2) as pool:
            made = list(pool.map(lambda source: _compiled(mpi, recipe, source, folder), recipe.sources))
        _link(mpi, made, folder / part)

    return built_once(cache_folder() / "sanitized" / part, part, make)


def with_changed_header(part: str, mpi: MpiInstallation, header: str, folder: Path) -> Path:
    """Return the program as it is with a header that was changed in `folder`, a copy of all the part's sources."""
    recipe = sources.recipe(part)
    objects = program(part, mpi).parent
    files = {source: objects / f"{_name(recipe, source)}.o" for source in recipe.sources}
    users = [source for source, made in files.items() if header in made.with_suffix(".d").read_text()]
    assert users, f"nothing includes {header}"
    copied = recipe._replace(folder=folder)
    for source in users:
        files[source] = _compiled(mpi, copied, folder / source.relative_to(recipe.folder), folder)
    _link(mpi, files.values(), folder / part)
    return folder / part


def tracer(mpi: MpiInstallation) -> Path:
    """Return the preload library of an MPI; what it is loaded into needs no sanitizer, but runtime() ahead of it."""
    recipe = sources.recipe("tracer")

    def make(folder: Path) -> None:
        generated = wrappers.generate(folder, elf.exported_symbols(Path(mpi.library)))
        flags = [*recipe.flags, *FLAGS, "-w", "-fPIC", "-pthread", f"-I{recipe.folder}", f"-I{folder}"]

        def compiled(source: Path) -> str:
            made = folder / f"{source.stem}.o"
            subprocess.run([mpi.mpicc, *flags, "-c", str(source), "-o", str(made)], check=True)
            return str(made)

        with ThreadPoolExecutor(max_workers=2) as pool:
            objects = list(pool.map(compiled, [*generated, *recipe.sources]))
        libraries = [f"-l{name}" for name in recipe.libraries]
        product = str(folder / "tracer.so")
        subprocess.run(["cc", "-shared", *FLAGS, *objects, "-o", product, *libraries], check=True)

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


def _name(recipe: sources.Recipe, source: Path) -> str:
    return str(source.relative_to(recipe.folder).with_suffix("")).replace("/", "-")


def _compiled(mpi: MpiInstallation, recipe: sources.Recipe, source: Path, folder: Path) -> Path:
    made = folder / f"{_name(recipe, source)}.o"
    subprocess.run(
        [mpi.mpicxx, *recipe.flags, *FLAGS, "-MMD", "-c", str(source), "-o", str(made)], check=True
    )
    return made


def _link(mpi: MpiInstallation, objects: Iterable[Path], product: Path) -> None:
    subprocess.run([mpi.mpicxx, *FLAGS, *map(str, objects), "-o", str(product)], check=True)
