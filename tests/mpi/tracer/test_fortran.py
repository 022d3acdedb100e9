"""Fortran programs through each of the three interfaces: what is recorded is what they call, and nothing else."""

from pathlib import Path

import pytest
from run_program import output_of

from linkworth.trace import call_sites

EVERY_MPI = True

INTERFACES = {"mpif.h": 1, "use mpi": 2, "use mpi_f08": 3}


def _expected(rank):
    message = {"comm": 0, "peer": 1 - rank, "tag": 5, "bytes": 12}
    got = {"comm": 0, "peer": -1, "tag": -1, "bytes": 12, "actual": (0, 6)}
    side = {"peer": 1 - rank, "tag": 7, "bytes": 32}
    data = {"comm": 0, "root": -1, "sent_list": [], "received_list": [], "element": 1}
    neighbours = [rank, rank]  # of the reversed communicator's other rank
    return [
        ("MPI_Init", {"level": 0}),
        ("MPI_Comm_rank", {}),
        ("MPI_Irecv", message),
        ("MPI_Isend", message),
        ("MPI_Waitall", {"mode": "waitall", "listed": 2, "completed": [(2, None), (1, None)]}),
        ("MPI_Send", message | {"tag": 6, "bytes": 8}) if rank == 0 else ("MPI_Recv", got),
        ("MPI_Allreduce", data | {"sent": 32, "received": 32, "element": 8}),
        ("MPI_Type_vector", {}),
        ("MPI_Type_commit", {}),
        ("MPI_Sendrecv", {"comm": 0, "send": side, "receive": side}),
        ("MPI_Type_free", {}),
        ("MPI_Allgatherv", data | {"sent": 8 * (rank + 1), "received": 24, "received_list": [8, 16]}),
        ("MPI_Comm_split", {"parent": 0, "new": 2, "inter": 0, "members": [1, 0]}),
        ("MPI_Bcast", data | {"comm": 2, "root": 1, "sent": 32, "received": 32}),
        (
            "MPI_Cart_create",
            {
                "parent": 2,
                "new": 3,
                "inter": 0,
                "members": [1, 0],
                "sources": neighbours,
                "destinations": neighbours,
            },
        ),
        ("MPI_Comm_free", {"comm": 3}),
        ("MPI_Comm_free", {"comm": 2}),
        ("MPI_Comm_idup", {"parent": 0, "new": 4, "inter": 0, "members": [0, 1]}),
        ("MPI_Wait", {"mode": "wait", "listed": 1, "completed": [(1, None)]}),
        ("MPI_Comm_free", {"comm": 4}),
        ("MPI_Win_create", {"comm": 0, "new": 0, "bytes": 32}),
        ("MPI_Win_fence", _fence()),
        ("MPI_Put", {"operation": "put", "window": 0, "target": 1 - rank, "to": 16, "from": 0}),
        ("MPI_Win_fence", _fence()),
        ("MPI_Win_free", {"window": 0}),
        ("MPI_Barrier", data | {"sent": 0, "received": 0}),
        ("MPI_Finalize", {}),
    ]


def _fence():
    return {"kind": "fence", "window": 0, "target": -1, "flag": 0, "ranks": []}


@pytest.mark.requires("gfortran")
@pytest.mark.parametrize("interface", INTERFACES)
def test_each_fortran_interface_records_the_calls_and_lines_of_the_program(bench, interface):
    run = bench.record(_compiled(bench, INTERFACES[interface]), ranks=2, yielding=False)
    assert (run.returncode, run.stdout.strip()) == (0, "all right"), run.stderr
    source = (Path(__file__).parent / "programs" / "interfaces.F90").read_text().splitlines()
    places = call_sites.resolve({event.site for part in run.parts for event in part.events})
    for part in run.parts:
        events = part.events
        if bench.mpi.kind == "openmpi":
            # Its Fortran library asks for the number of elements to convert, through the same door as a program.
            events = [event for event in events if event.name != "MPI_Comm_size"]
        calls = [(event.name, event.fields) for event in events]
        # The program asks for a level of threads by MPI_Init, and what it gets is the library's affair.
        calls[0] = (calls[0][0], {"level": 0})
        assert calls == _expected(part.rank)
        for event in events[1:-1]:
            place = places[event.site]
            # So gfortran calls a program.
            assert (place.function, Path(place.file).name) == ("MAIN__", "interfaces.F90")
            # A statement may go on over two lines, and gfortran gives some calls through the modules the program's last line.
            statement = " ".join(source[place.line - 2 : place.line])
            assert event.name.lower() in statement.lower() or (interface != "mpif.h" and place.line > 90)


def _compiled(bench, interface):
    compiler = Path(bench.mpi.mpicc)
    compiler = compiler.with_name(compiler.name.replace("mpicc", "mpifort"))
    if not compiler.is_file():
        pytest.skip(f"{bench.mpi.name} has no Fortran")
    program = bench.folder / "program"
    source = Path(__file__).parent / "programs" / "interfaces.F90"
    command = [compiler, f"-DINTERFACE={interface}", "-g", "-w", "-J", bench.folder, source, "-o", program]
    output_of(command)
    return program
