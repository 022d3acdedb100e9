"""A made-up MPI: a real shared library that names itself, and scripts that answer like launchers and wrappers."""

from pathlib import Path

from run_program import output_of

from linkworth.model.mpi import MpiInstallation

LIBRARY = """
#include <cstring>
extern "C" int MPI_Get_library_version(char *text, int *length)
{
    std::strcpy(text, VERSION_TEXT);
    *length = static_cast<int>(std::strlen(text));
    return 0;
}
extern "C" int MPI_Send() { return 0; }
"""


def described(kind: str, version: str, mpiexec: str = "/opt/bin/mpiexec") -> MpiInstallation:
    """Return what linkworth knows of an installation, of which nothing is there."""
    return MpiInstallation(
        name=f"{kind}-{version}",
        kind=kind,
        version=version,
        library="/opt/lib/libmpi.so",
        library_version="",
        mpiexec=mpiexec,
    )


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def install(
    prefix: Path, library_says: str, launcher_says: str, *, soname: str = "libmpi.so.12", suffix: str = ""
) -> Path:
    """Make an installation in a folder; return its library."""
    (prefix / "lib").mkdir(parents=True, exist_ok=True)
    source = prefix / "library.cpp"
    source.write_text(LIBRARY)
    library = prefix / "lib" / soname
    flags = ["-shared", "-fPIC", f'-DVERSION_TEXT="{library_says}"', f"-Wl,-soname,{soname}"]
    output_of(["c++", *flags, source, "-o", library])
    (prefix / "lib" / "libmpi.so").unlink(missing_ok=True)
    (prefix / "lib" / "libmpi.so").symlink_to(soname)
    script(prefix / "bin" / f"mpiexec{suffix}", f"echo '{launcher_says}'")
    for wrapper in ("mpicc", "mpicxx"):
        script(
            prefix / "bin" / f"{wrapper}{suffix}",
            f'case "$1" in -show) echo "cc -I{prefix}/include -L{prefix}/lib -Wl,-rpath -Wl,{prefix}/lib -lmpi";; esac',
        )
    return library.resolve()


def program(path: Path, prefix: Path) -> Path:
    """Link a program with an installation's library."""
    source = path.with_suffix(".cpp")
    source.write_text('extern "C" int MPI_Send(); int main() { return MPI_Send(); }\n')
    library = [f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-Wl,--no-as-needed", "-lmpi"]
    output_of(["c++", source, *library, "-o", path])
    return path
