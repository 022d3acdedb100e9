import os

import pytest
from fake_installation import script

from linkworth.mpi import identify

SAYS = {
    "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022": (
        "openmpi",
        "4.1.4",
    ),
    "Open MPI v5.0.11, package: Open MPI user@localhost Distribution, ident: 5.0.11": ("openmpi", "5.0.11"),
    "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\nMPICH Device: ch4:ucx": (
        "mpich",
        "4.0.2",
    ),
    "MPICH Version:      5.0.2\nMPICH ABI:          18:2:6": ("mpich", "5.0.2"),
    "Intel(R) MPI Library 2021.13 for Linux* OS\n": ("intel", "2021.13"),
    "MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :\tWed March 02": ("mvapich", "2.3.7"),
    "MVAPICH Version       :\t3.0\nMPICH Version:\t3.4.3": ("mvapich", "3.0"),
    "MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)\n": ("cray", "8.1.28.15"),
    "Some vendor's MPI 7.2": ("other", "7.2"),
    "An MPI without a number": ("other", "0"),
}


@pytest.mark.parametrize("text", SAYS)
def test_library_versions_as_libraries_print_them(text):
    found = identify.parse_library_version(text)
    assert (found.kind, found.version) == SAYS[text]
    assert "\n" not in found.line and "\t" not in found.line


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("mpiexec.openmpi (OpenRTE) 4.1.4\n\nReport bugs to", ("openmpi", "4.1.4")),
        ("mpiexec (Open MPI) 5.0.11\n", ("openmpi", "5.0.11")),
        ("HYDRA build details:\n    Version:                                 4.0.2\n", ("mpich", "4.0.2")),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.13 Build 20240701\n", ("intel", "2021.13")),
    ],
)
def test_launchers_are_told_apart_by_their_answer(tmp_path, answer, expected):
    found = identify.launcher(script(tmp_path / "mpiexec", f"cat <<'END'\n{answer}\nEND"))
    assert found is not None
    assert (found.kind, found.version) == expected


def test_a_tool_that_fails_or_is_silent_is_no_launcher(tmp_path):
    for text in ("exit 1", "true", "echo slurm 22.05.8"):
        assert identify.launcher(script(tmp_path / "mpiexec", text)) is None
    assert identify.launcher(tmp_path / "absent") is None


def test_a_compile_line_is_read_behind_warnings_and_with_a_space_in_its_folder(tmp_path):
    folder = tmp_path / "my mpi"
    text = f'echo "warning: setlocale: cannot change locale" >&2; echo "gcc -L{folder}/lib -lmpich"'
    line = identify.compile_line(script(folder / "bin/mpicc", text))
    assert line == identify.CompileLine(["gcc"], [f"-L{folder}/lib", "-lmpich"])


def test_a_busy_machine_gets_more_time_for_an_answer(monkeypatch):
    cores = len(os.sched_getaffinity(0))
    monkeypatch.setattr(os, "getloadavg", lambda: (0.1, 0.0, 0.0))
    assert identify.patience(20.0) == 20.0
    monkeypatch.setattr(os, "getloadavg", lambda: (10.0 * cores, 0.0, 0.0))
    assert identify.patience(20.0) == 200.0

    def unknown():
        raise OSError

    monkeypatch.setattr(os, "getloadavg", unknown)
    assert identify.patience(20.0) == 20.0
