"""Traces to be converted, and what of them must come back."""

from pathlib import Path
from typing import Any, NamedTuple

from run_program import output_of
from synthetic import ANY, PROC_NULL, Call, collective, irecv, isend, recv, send, sendrecv, write_trace
from synthetic_calls import start

from linkworth import _engine

HALO = Path(__file__).parents[1] / "e2e" / "programs" / "halo.c"


class Recorded(NamedTuple):
    """One call as the engine reads it, with its times from the start of the rank's first call."""

    name: str
    call_class: str
    start_ns: int
    end_ns: int
    fields: dict[str, Any]
    gap_ns: int
    cpu_ns: int | None
    next_request: int


class Sent(NamedTuple):
    """A message from its send to the end of its receive: world ranks, bytes, times in ns."""

    source: int
    destination: int
    bytes: int
    start_ns: int
    end_ns: int


def calls(path: Path) -> list[list[Recorded]]:
    """Return all calls of each rank."""
    trace = _engine.Trace(str(path))
    ranks = []
    for rank in range(trace.ranks):
        clock = 0.0
        found: list[Recorded] = []
        for event in trace.iterate(rank):
            start = clock + event["gap_seconds"] if found else 0.0
            clock = start + event["duration_seconds"]
            cpu = event["cpu_seconds"]
            found.append(
                Recorded(
                    event["name"],
                    event["call_class"],
                    round(start * 1e9),
                    round(clock * 1e9),
                    event["fields"],
                    round(event["gap_seconds"] * 1e9),
                    round(cpu * 1e9) if cpu >= 0 else None,
                    event["next_request"],
                )
            )
        ranks.append(found)
    return ranks


def wait(*completions: tuple[int, bool, int, int], mode: int = 0) -> Call:
    return Call("MPI_Wait", "complete", mode=mode, listed=len(completions), completions=list(completions))


def split(number: int, members: list[int]) -> Call:
    return Call("MPI_Comm_split", "comm_new", comm=0, new_comm=number, members=members)


def _spaced(programs: list[list[Call]]) -> list[list[Call]]:
    """Give call i of a rank 100 ns from 1000 i ns on; MPI_Init ends at 0."""
    return [[call.after(900e-9).lasting(100e-9) for call in program] for program in programs]


def every_message(path: Path) -> tuple[Path, list[Sent]]:
    """Write messages of every kind; return them as they must be paired, at the times of their calls after MPI_Init."""
    both = ("comm", "peer", "tag", "bytes", "recv_peer", "recv_tag", "recv_bytes")
    cancel = Call("MPI_Cancel", "request_cancel", references=[1])
    zero = [
        send(1, 10, tag=5),  # 0: the older of two on one channel
        send(1, 20, tag=5),  # 1
        send(PROC_NULL, 99),  # 2
        irecv(ANY, 64, tag=ANY),  # 3
        sendrecv(1, 30, 1, tag=2),  # 4
        wait((1, True, 1, 9)),  # 5
        split(2, [1, 0]),  # 6: the ranks of it the other way round
        isend(0, 40, comm=2),  # 7: to world rank 1
        wait((1, False, 0, 0)),  # 8
        Call("MPI_Send_init", "send_init", comm=0, peer=1, tag=6, bytes=50),  # 9
        start(1),  # 10
        wait((1, False, 0, 0)),  # 11
        start(1),  # 12
        wait((1, False, 0, 0)),  # 13
        Call("MPI_Isendrecv", "isendrecv", **dict(zip(both, (0, 1, 3, 60, ANY, 3, 64), strict=True))),  # 14
        wait((1, True, 1, 3)),  # 15
        Call("MPI_Psend_init", "psend_init", comm=0, peer=1, tag=8, bytes=7, partitions=4),  # 16
        start(1),  # 17
        Call("MPI_Pready_range", "pready", references=[1], first_partition=0, last_partition=3),  # 18
        wait((1, False, 0, 0)),  # 19
        send(1, 70, tag=40),  # 20: never received
        send(1, 80, comm=7),  # 21: on a communicator that the trace does not define
        isend(0, 90, comm=1),  # 22: to itself
        recv(0, 90, comm=1),  # 23
        send(1, 33, tag=50),  # 24
        send(1, 34, tag=51),  # 25
    ]
    one = [
        irecv(0, 100, tag=5),  # 0
        irecv(0, 100, tag=5),  # 1
        wait((1, False, 0, 0)),  # 2: the later request is the first to be completed
        wait((2, False, 0, 0)),  # 3
        isend(0, 15, tag=9),  # 4
        sendrecv(0, 35, 0, tag=2),  # 5
        split(2, [1, 0]),  # 6
        recv(ANY, 100, comm=2, actual=(1, 0)),  # 7
        Call("MPI_Recv_init", "recv_init", comm=0, peer=ANY, tag=6, bytes=50),  # 8
        start(1),  # 9
        wait((1, True, 0, 6)),  # 10
        start(1),  # 11
        wait((1, True, 0, 6)),  # 12
        Call("MPI_Isendrecv", "isendrecv", **dict(zip(both, (0, 0, 3, 65, 0, 3, 64), strict=True))),  # 13
        wait((1, False, 0, 0)),  # 14
        Call("MPI_Precv_init", "precv_init", comm=0, peer=0, tag=8, bytes=14, partitions=2),  # 15
        start(1),  # 16
        wait((1, False, 0, 0)),  # 17
        irecv(0, 100, tag=41),  # 18: nothing comes
        irecv(0, 100, tag=40),  # 19: matched, but its end is not in the trace
        irecv(0, 100, tag=50),  # 20: taken back
        cancel,  # 21
        wait((1, False, 0, 0)),  # 22
        recv(0, 33, tag=50),  # 23
        Call("MPI_Recv_init", "recv_init", comm=0, peer=0, tag=51, bytes=50),  # 24
        start(1),  # 25: taken back
        cancel,  # 26
        wait((1, False, 0, 0)),  # 27
        start(1),  # 28
        wait((1, False, 0, 0)),  # 29
    ]
    pairs = [(0, 0, 1, 3, 10), (0, 1, 1, 2, 20), (0, 4, 1, 5, 30), (1, 5, 0, 4, 35), (1, 4, 0, 5, 15), (0, 7, 1, 7, 40),
             (0, 10, 1, 10, 50), (0, 12, 1, 12, 50), (0, 14, 1, 14, 60), (1, 13, 0, 15, 65), (0, 17, 1, 17, 28),
             (0, 22, 0, 23, 90), (0, 24, 1, 23, 33), (0, 25, 1, 29, 34)]  # fmt: skip
    messages = [
        Sent(source, to, size, 1000 * sent + 900, 1000 * received + 1000)
        for source, sent, to, received, size in pairs
    ]
    return write_trace(path, _spaced([zero, one])), messages


def short_calls(path: Path) -> Path:
    """Write calls of one nanosecond and of none, which begin where the one before them ends."""
    program = [
        collective("MPI_Barrier").lasting(1e-9),
        collective("MPI_Bcast", 8, root=0),
        send(0, 1).lasting(1e-9),
    ]
    return write_trace(path, [program] * 2)


def recorded(folder: Path) -> Path:
    """Record a ring of halos on four ranks with an MPI of this machine."""
    from mpi_programs import usable_mpis

    from linkworth.measure import plan
    from linkworth.trace import record

    program = folder / "halo"
    output_of([usable_mpis()[0].mpicc, HALO, "-o", program])
    return Path(record.record(plan.plan(plan.workload([str(program)], 4)), output=folder / "halo.lwt").path)
