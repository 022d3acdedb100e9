import os
import sys
from pathlib import Path

import fake_installation as fake
import pytest

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.mpi import elf, find, linkage, target, wheels

pytestmark = pytest.mark.requires("c++")

MPICH = "MPICH Version: 5.0.2", "HYDRA build details:\n    Version:    5.0.2"
OPENMPI = "Open MPI v4.1.4, package: x", "mpiexec (OpenRTE) 4.1.4"


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """No MPI but what a test makes: PATH has only what compilers need."""
    monkeypatch.setenv("LINKWORTH_MPI_PATH", "")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "no-environment"))
    return tmp_path


@pytest.fixture
def two(tmp_path, monkeypatch):
    """An MPICH and an Open MPI, found in this order."""
    libraries = {
        "mpich": fake.install(tmp_path / "a", *MPICH),
        "openmpi": fake.install(tmp_path / "b", *OPENMPI, soname="libmpi.so.40"),
    }
    monkeypatch.setenv("LINKWORTH_MPI_PATH", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "no-environment"))
    return libraries


def started(program):
    return target.of_command([str(program)])


def test_no_mpi_names_the_command_that_gets_one(nowhere):
    assert find.find_all() == []
    with pytest.raises(EnvironmentLacksError, match="pip install mpich") as raised:
        find.choose(None)
    assert raised.value.exit_code == 3
    launcher = nowhere / "empty" / "mpiexec"
    launcher.parent.mkdir()
    launcher.write_text("#!/bin/sh\nexit 3\n")
    launcher.chmod(0o755)
    with pytest.raises(EnvironmentLacksError, match=f"{launcher} names no known MPI, or"):
        find.choose(None)


def test_an_installation_is_what_it_says_whatever_its_folder_is_called(two, tmp_path):
    first, second = find.find_all()[:2]
    assert (first.name, first.kind, first.version) == ("mpich-5.0.2", "mpich", "5.0.2")
    assert first.library == str(two["mpich"])
    assert (first.mpiexec, first.mpicc) == (str(tmp_path / "a/bin/mpiexec"), str(tmp_path / "a/bin/mpicc"))
    assert (second.name, second.library) == ("openmpi-4.1.4", str(two["openmpi"]))
    assert first.origin == "LINKWORTH_MPI_PATH"


def test_links_to_one_library_are_one_installation(tmp_path, monkeypatch):
    fake.install(tmp_path / "a", *MPICH, suffix=".mpich")
    for tool in ("mpicc", "mpiexec", "mpicxx"):
        (tmp_path / "a/bin" / tool).symlink_to(f"{tool}.mpich")
    monkeypatch.setenv("LINKWORTH_MPI_PATH", str(tmp_path / "a"))
    found = [mpi for mpi in find.find_all() if mpi.library.startswith(str(tmp_path))]
    assert [Path(mpi.mpicc).name for mpi in found] == ["mpicc.mpich"]


def test_a_linker_script_in_place_of_the_library_is_followed(tmp_path, monkeypatch):
    library = fake.install(tmp_path / "a", *MPICH)
    (tmp_path / "a/lib/libmpi.so").unlink()
    (tmp_path / "a/lib/libmpi.so").write_text("INPUT(libmpi.so.12)\n")
    monkeypatch.setenv("LINKWORTH_MPI_PATH", str(tmp_path / "a"))
    assert find.find_all()[0].library == str(library)


def test_a_launcher_of_another_mpi_beside_the_compiler_is_not_taken(tmp_path, monkeypatch):
    fake.install(tmp_path / "a", *MPICH)
    fake.script(tmp_path / "a/bin/mpiexec", "echo 'mpiexec (OpenRTE) 4.1.4'")
    monkeypatch.setenv("LINKWORTH_MPI_PATH", str(tmp_path / "a"))
    mpi = find.find_all()[0]
    assert mpi.name == "mpich-5.0.2"
    assert not mpi.mpiexec.startswith(str(tmp_path))


def test_an_installation_without_compilers_is_found_by_its_launcher(tmp_path, monkeypatch):
    library = fake.install(tmp_path / "a", "MPICH Version: 3.9", "HYDRA build details:\n    Version:    3.9")
    (tmp_path / "a/bin/mpicc").unlink()
    monkeypatch.setenv("LINKWORTH_MPI_PATH", str(tmp_path / "a"))
    mpi = find.find_all()[0]
    assert (mpi.library, mpi.mpicc) == (str(library), "")
    (tmp_path / "own/bin").mkdir(parents=True)
    (tmp_path / "own/bin/mpiexec").symlink_to(tmp_path / "a/bin/mpiexec")
    monkeypatch.setenv("LINKWORTH_MPI_PATH", str(tmp_path / "own"))
    assert find.find_all()[0].library == str(library)


def test_two_installations_of_one_version_have_different_names(tmp_path, monkeypatch):
    for folder in "ab":
        fake.install(tmp_path / folder, *MPICH)
    monkeypatch.setenv("LINKWORTH_MPI_PATH", f"{tmp_path / 'a'}:{tmp_path / 'b'}")
    assert [mpi.name for mpi in find.find_all()[:2]] == ["mpich-5.0.2", "mpich-5.0.2@2"]


@pytest.mark.parametrize("by", ["openmpi-4.1.4", "openmpi", "prefix", "bin"])
def test_the_users_choice_by_name_kind_or_folder(two, tmp_path, by):
    name = {"prefix": str(tmp_path / "b"), "bin": str(tmp_path / "b/bin")}.get(by, by)
    assert find.choose(name).library == str(two["openmpi"])


def test_a_folder_that_the_search_does_not_know_can_be_chosen(two, tmp_path):
    library = fake.install(tmp_path / "c", "MPICH Version: 4.9", "HYDRA build details:\n    Version:    4.9")
    assert find.choose(str(tmp_path / "c")).library == str(library)


def test_an_unknown_choice_says_what_there_is(two):
    with pytest.raises(UsageError, match=r"`mpi` nompi: .*mpich-5\.0\.2, openmpi-4\.1\.4"):
        find.choose("nompi")


def test_a_program_gets_its_mpi_and_no_other(two, tmp_path):
    program = fake.program(tmp_path / "program", tmp_path / "b")
    assert find.choose(None, started(program)).library == str(two["openmpi"])
    assert find.choose("openmpi", started(program)).library == str(two["openmpi"])
    program = fake.program(tmp_path / "program", tmp_path / "b")
    with pytest.raises(UsageError, match=r"linked with openmpi-4\.1\.4.*rank 0 of 1"):
        find.choose("mpich", started(program))
    program = fake.script(tmp_path / "program", "true")
    assert find.choose(None, started(program)).library == str(two["mpich"])


def test_the_mpi_of_a_program_is_found_or_named(two, tmp_path):
    library = fake.install(tmp_path / "c", "MPICH Version: 4.9", "HYDRA build details:\n    Version:    4.9")
    program = fake.program(tmp_path / "program", tmp_path / "c")
    found = find.choose(None, started(program))
    assert (found.library, found.origin) == (str(library), "program")
    library = fake.install(tmp_path / "c", *MPICH, soname="libmpi.so.77")
    program = fake.program(tmp_path / "program", tmp_path / "c")
    library.unlink()
    assert linkage.of_program(program).missing == "libmpi.so.77"
    with pytest.raises(EnvironmentLacksError, match=r"needs libmpi\.so\.77, which the loader does not find"):
        find.choose(None, started(program))


def test_wheels_that_overwrote_each_others_launcher_are_named(two, tmp_path):
    library = fake.install(tmp_path / "c", *MPICH, soname="libmpi.so.77")
    program = fake.program(tmp_path / "program", tmp_path / "c")
    for tool in ("mpicc", "mpiexec"):
        fake.script(tmp_path / "c/bin" / tool, "exit 1")
    for wheel in ("impi_rt-2021.18.1", "mpich-5.0.2", "other-1"):
        record = tmp_path / f"c/lib/python3.11/site-packages/{wheel}.dist-info/RECORD"
        record.parent.mkdir(parents=True)
        tool = "other" if wheel == "other-1" else "mpiexec"
        record.write_text(f"a.py,,\n../../../bin/{tool},sha256=x,1\n")
    clash = f"impi-rt and mpich overwrote each other's mpiexec in {tmp_path / 'c/bin'}"
    with pytest.raises(EnvironmentLacksError, match=f"linked with {library}, .*{clash}"):
        find.choose(None, started(program))
    assert [
        clash in sentence for sentence in wheels.overwritten([tmp_path / "a/bin", tmp_path / "c/bin"])
    ] == [True]


def test_programs_that_cannot_be_run_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").write_text("")
    for word, sentence in {
        "./absent": "there is no program ./absent",
        "absent-program": "on PATH",
        "cg.A": "a NAS Parallel Benchmark is written npb:PROGRAM.CLASS",
        "stencil": "the weather-like code is written stencil:POINTS",
        "./data": "chmod \\+x ./data",
        str(tmp_path): "is a folder",
    }.items():
        with pytest.raises(UsageError, match=sentence):
            find.program_path(word)


def test_folders_that_cannot_be_searched_are_passed_over(two, tmp_path, monkeypatch):
    # A name that is too long fails as a folder does that this user may not search, for root too.
    closed = "/" + "x" * 5000
    monkeypatch.setenv("LINKWORTH_MPI_PATH", f"{closed}:{tmp_path / 'a'}")
    monkeypatch.setenv("PATH", f"{closed}:{os.environ['PATH']}")
    assert find.find_all()[0].library == str(two["mpich"])


def test_a_program_in_a_folder_that_cannot_be_searched_is_named(tmp_path, monkeypatch):
    def refused(_path, **_options):
        raise PermissionError

    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(UsageError, match="closed/program is in a folder that you may not search"):
        find.program_path("/closed/program")


@pytest.mark.requires("mpi")
def test_the_mpis_of_this_machine_export_what_programs_call():
    for mpi in find.find_all():
        assert {"MPI_Init", "PMPI_Init", "MPI_Alltoallv"} <= elf.exported_symbols(Path(mpi.library))
