"""Precompiled parts: which MPI they fit, and how they are fitted to its library."""

import ctypes
import shutil

import fake_installation as fake
import msgspec
import pytest

from linkworth.mpi import build, compiler, elf, elf_edit, precompiled
from linkworth.mpi.elf import ElfError

SOURCE = """
int MPI_Send(void) { return 1; }
int PMPI_Send(void) { return 2; }
int MPI_Send_c(void) { return 3; }
int other(void) { return 4; }
"""


def library(path, soname, source):
    file = path.with_suffix(".c")
    file.write_text(source)
    done = compiler.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", str(file), "-o", str(path)])
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A folder of precompiled parts with a tracer and a program for MPICH's ABI."""
    folder = tmp_path / "precompiled"
    (folder / "mpich").mkdir(parents=True)
    library(folder / "mpich" / build.TRACER, "tracer", SOURCE)
    (folder / "mpich" / build.NPB).write_bytes(b"\x7fELF needs " + precompiled.LIBRARY_PATH + b"\0")
    (folder / "mpich" / precompiled.NOT_WRAPPED).write_text("MPI_File_c2f\nMPI_Newer\n")
    monkeypatch.setattr(precompiled, "folder", lambda: folder)
    monkeypatch.setattr(precompiled, "processor", lambda: " ".join(precompiled._FLAGS))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def installation(tmp_path, soname="libmpi.so.12", kind="mpich", source="int MPI_Init, MPI_Send;"):
    path = library(tmp_path / f"{soname}.7", soname, source)
    return msgspec.structs.replace(fake.described(kind, "5.0"), library=str(path), mpicc="", mpicxx="")


@pytest.mark.requires("c++")
@pytest.mark.parametrize(
    ("kind", "soname", "abi"),
    [
        ("mpich", "libmpich.so.12", "mpich"),
        ("intel", "libmpi.so.12", "mpich"),
        ("cray", "libmpi_gnu_91.so.12", "mpich"),
        ("mpich", "libmpi_abi.so.1", "standard"),
        ("openmpi", "libmpi.so.40", "openmpi"),
        ("openmpi", "libmpi.so.12", None),  # Open MPI 1.10
        ("other", "libmpi.so.12", None),
    ],
)
def test_the_abi_is_that_of_the_soname_and_the_kind(tmp_path, kind, soname, abi):
    assert precompiled.abi_of(installation(tmp_path, soname, kind)) == abi


@pytest.mark.requires("c++")
def test_a_tracer_exports_what_the_library_has_and_no_more(shipped, tmp_path):
    fitted = build.tracer(installation(tmp_path))
    assert elf.exported_symbols(fitted) == {"MPI_Send", "PMPI_Send", "other"}
    loaded = ctypes.CDLL(str(fitted))
    assert (loaded.MPI_Send(), loaded.other()) == (1, 4)
    with pytest.raises(AttributeError):
        _ = loaded.MPI_Send_c


@pytest.mark.requires("c++")
def test_a_program_needs_the_library_by_the_path_of_its_soname(shipped, tmp_path):
    mpi = installation(tmp_path)
    (tmp_path / "libmpi.so.12").symlink_to(mpi.library)
    fitted = build.npb(mpi).read_bytes()
    assert fitted.rstrip(b"\0").endswith(str(tmp_path / "libmpi.so.12").encode())
    assert len(fitted) == (shipped / "mpich" / build.NPB).stat().st_size
    assert build.npb(mpi, planned=True) == build.npb(mpi)


@pytest.mark.requires("c++")
def test_what_does_not_fit_is_built_here(shipped, tmp_path, monkeypatch):
    newer = installation(tmp_path, source="int MPI_Init, MPI_Newer;")
    assert precompiled.find(newer, build.TRACER) is None
    monkeypatch.setattr(precompiled, "processor", lambda: "sse2")
    assert precompiled.find(newer, build.NPB) is None
    shutil.rmtree(shipped)
    assert precompiled.find(newer, build.NPB) is None


@pytest.mark.requires("c++")
def test_conversions_of_handles_need_no_wrapper(shipped, tmp_path):
    """Intel MPI's library of the standard ABI has some that MPICH's, whose headers the tracer is compiled with, lacks."""
    converting = installation(tmp_path, source="int MPI_Init, MPI_File_c2f;")
    assert precompiled.find(converting, build.TRACER) is not None


def test_only_whole_elf_files_are_edited(tmp_path):
    with pytest.raises(ElfError):
        elf_edit.hide(bytearray(b"\x7fELF\x02\x01short"), {"MPI_Send"})
    with pytest.raises(ElfError):
        elf_edit.replace_text(bytearray(b"twice twice"), b"twice", b"once")
