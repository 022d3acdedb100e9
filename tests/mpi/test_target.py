"""The program behind a command, with made-up MPIs."""

import sys
from pathlib import Path

import fake_installation as fake
import pytest

from linkworth.errors import UsageError
from linkworth.mpi import find, python_program, target

pytestmark = pytest.mark.requires("c++")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An MPICH and an Open MPI, each with a program that is linked with it, and some scripts."""
    folder = tmp_path_factory.mktemp("place")
    fake.install(folder / "a", "MPICH Version: 5.0.2", "HYDRA build details:\n    Version:    5.0.2")
    fake.install(
        folder / "b", "Open MPI v4.1.4, package: x", "mpiexec (OpenRTE) 4.1.4", soname="libmpi.so.77"
    )
    fake.program(folder / "mpich-program", folder / "a")
    fake.program(folder / "program", folder / "b")
    fake.script(folder / "wrap.sh", "# ./mpich-program is not meant\nexec ./program in.txt")
    fake.script(folder / "pass.sh", 'ulimit -s unlimited; exec "$@"')
    fake.script(folder / "beside.sh", 'here=$(dirname "$0"); "$here/program"')
    fake.script(folder / "assigned.sh", "BIN=./program\n$BIN")
    fake.script(folder / "outer.sh", "sh ./wrap.sh")
    fake.script(folder / "both.sh", "./program; ./mpich-program")
    fake.script(folder / "plain.sh", "echo hello")
    return folder


@pytest.fixture(autouse=True)
def inside(place, monkeypatch):
    monkeypatch.chdir(place)
    monkeypatch.setenv("LINKWORTH_MPI_PATH", f"{place / 'a'}:{place / 'b'}")
    monkeypatch.setattr(sys, "prefix", str(place / "no-environment"))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("./program", "program"),
        ("env A=1 ./program", "program"),
        ("env -u HOME A=1 nice -n 5 ./program", "program"),
        ("taskset -c 0 ./program", "program"),
        ("timeout 5 ./program", "program"),
        ("./wrap.sh", "wrap.sh"),
        ("sh wrap.sh", "wrap.sh"),
        ("./outer.sh", "outer.sh"),
        ("./pass.sh ./program", "pass.sh"),
        ("env B=2 ./pass.sh ./program", "pass.sh"),
        ("./beside.sh", "beside.sh"),
        ("./assigned.sh", "assigned.sh"),
    ],
)
def test_the_library_behind_a_command_is_found(place, command, name):
    words = command.split()
    found = target.of_command(words)
    assert found.program == place / "program"
    assert find.choose(None, found).name == "openmpi-4.1.4"
    assert target.name_of(words) == name


def test_shell_text_names_a_program_or_gets_the_first_mpi(place):
    found = target.of_command(["bash", "-c", "cd . && ./program > out; true"])
    assert find.choose(None, found).name == "openmpi-4.1.4"
    found = target.of_command(["sh", "-ec", '"$@"', "sh", "./program"])
    assert find.choose(None, found).name == "openmpi-4.1.4"
    for command in (["./plain.sh"], ["echo", "./data"], ["bash", "-c", "exit 3"]):
        found = target.of_command(command)
        assert not found.calls_mpi
        assert find.choose(None, found).name == "mpich-5.0.2"


def test_a_script_with_programs_of_two_mpis_needs_a_choice(place):
    found = target.of_command(["./both.sh"])
    with pytest.raises(UsageError, match=r"several MPIs .*`mpi`"):
        find.choose(None, found)
    assert find.choose("openmpi", found).name == "openmpi-4.1.4"


def test_a_script_may_set_the_path_of_a_library_that_the_loader_does_not_find(place, tmp_path, monkeypatch):
    library = fake.install(tmp_path / "c", "MPICH Version: 4.9", "x", soname="libmpi.so.77")
    fake.program(tmp_path / "program", tmp_path / "c")
    library.unlink()
    monkeypatch.chdir(tmp_path)
    script = fake.script(tmp_path / "run.sh", "export LD_LIBRARY_PATH=/somewhere\n./program")
    found = target.of_command([str(script)])
    assert found.link.missing == "libmpi.so.77"
    assert find.choose(None, found).name == "openmpi-4.1.4"
    given = target.of_command(["env", f"LD_LIBRARY_PATH={place}/b/lib", str(tmp_path / "program")])
    assert find.choose(None, given).name == "openmpi-4.1.4"


def mpi4py(folder, library, *, free):
    """Make a package that loads a library as mpi4py does."""
    (folder / "mpi4py").mkdir()
    (folder / "mpi4py/__init__.py").write_text("class rc: pass\n")
    (folder / "mpi4py/MPI.py").write_text(f"import ctypes\nctypes.CDLL({str(library)!r})\n")
    (folder / "mpi4py" / ("MPI.openmpi.cpython-311.so" if free else "MPI.cpython-311.so")).write_text("")


@pytest.mark.parametrize("free", [True, False])
def test_the_library_of_mpi4py_is_the_one_that_it_loads(place, tmp_path, monkeypatch, free):
    mpi4py(tmp_path, place / "b/lib/libmpi.so", free=free)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    python_program.mpi_of.cache_clear()
    found = target.of_command([sys.executable, "heat.py"])
    python_program.mpi_of.cache_clear()
    assert found.free == free
    assert find.choose(None, found).name == "openmpi-4.1.4"
    if free:
        assert find.choose("mpich", found).name == "mpich-5.0.2"
    else:
        with pytest.raises(UsageError, match="linked with openmpi"):
            find.choose("mpich", found)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["heat.py", "-m"], "heat.py"),
        (["-u", "-W", "error", "sub/heat.py"], "heat.py"),
        (["-m", "heat.run", "x"], "heat.run"),
        (["-m", "mpi4py", "heat.py"], "heat.py"),
        (["-c", "pass"], ""),
        ([], ""),
    ],
)
def test_a_python_program_is_named_by_its_script(arguments, name):
    assert python_program.script_name(arguments) == name
    assert target.name_of(["/usr/bin/python3.11", *arguments]) == (name or "python3.11")


def test_copies_of_a_library_beside_each_other_are_one_mpi(tmp_path, monkeypatch):
    """Wheels cannot hold links: Intel MPI's has each library under four names."""
    library = fake.install(
        tmp_path, "Intel(R) MPI Library 2021.18.1", "Intel(R) MPI Library, Version 2021.18.1"
    )
    for name in ("libmpi.so.12.0", "libmpi.so.12.0.0"):
        (tmp_path / "lib" / name).write_bytes(library.read_bytes())
    for wrapper in ("mpicc", "mpicxx"):
        (tmp_path / "bin" / wrapper).unlink()
    monkeypatch.setenv("LINKWORTH_MPI_PATH", str(tmp_path))
    found = [mpi for mpi in find.find_all() if Path(mpi.library).is_relative_to(tmp_path)]
    assert [mpi.name for mpi in found] == ["intel-2021.18.1"]
    program = fake.program(tmp_path / "program", tmp_path)
    (tmp_path / "lib/libmpi.so.12").rename(tmp_path / "lib/kept")
    (tmp_path / "lib/libmpi.so").unlink()
    (tmp_path / "lib/libmpi.so.12").write_bytes((tmp_path / "lib/kept").read_bytes())
    assert find.choose(None, target.of_command([str(program)])).kind == "intel"
