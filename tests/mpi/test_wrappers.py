"""The generator of the tracer's wrappers."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from linkworth.mpi import wrapper_bodies, wrappers

LIBRARY = {
    "MPI_Init", "PMPI_Init", "MPI_Send", "PMPI_Isend", "MPI_Recv", "MPI_Comm_f2c", "MPI_Type_ub", "MPI_COMM_DUP_FN",
}  # fmt: skip


def _generated(tmp_path, symbols):
    files = wrappers.generate(tmp_path / "new", symbols)
    return "".join(file.read_text() for file in [*files, tmp_path / "new/real_functions.h"])


def _exported(text):
    return set(re.findall(r'LW_EXPORTED [^;]*__asm__\("(\w+)"\)', text))


def test_wrappers_are_those_of_the_library(tmp_path):
    exported = _exported(_generated(tmp_path, LIBRARY))
    both = {f"{p}MPI_{name}" for p in ("", "P") for name in ("Init", "Send", "Isend", "Recv", "Type_ub")}
    # Open MPI's Fortran interface calls the PMPI form of conversions for itself.
    assert exported == both | {"MPI_Comm_f2c"}
    text = _generated(tmp_path, LIBRARY)
    names = re.findall(r'^    "(MPI_\w+)\\0"', text, re.MULTILINE)
    assert names == sorted(names)
    for number, name in enumerate(names):
        assert f"#define REAL_{name}(...) (((lw_type_{name})lw_target({number}))" in text
    text = _generated(tmp_path, LIBRARY)
    assert "REAL_MPI_Isend(buf" in text  # MPI_Send yields by it
    assert "REAL_MPI_Irecv(buf" not in text  # there is none: MPI_Recv stays as it is


def test_a_library_without_mpi_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no MPI_Init"):
        wrappers.generate(tmp_path, {"main", "printf"})


def test_every_modelled_body_belongs_to_a_procedure_of_the_standard():
    procedures = wrappers.standard_procedures()
    assert set(wrapper_bodies.bodies()) - {"any other"} <= set(procedures)
    assert len(procedures) > 650
    assert procedures["MPI_Send"].arguments == "buf, count, datatype, dest, tag, comm"


def test_threads_read_the_same_procedures():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            read = list(pool.map(lambda _: wrappers.standard_procedures(), range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert all(procedures == read[0] for procedures in read)
