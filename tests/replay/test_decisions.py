"""Algorithms that each library chooses: golden tables, and MPICH's own tuning file if an MPICH is installed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from golden import check_golden

from linkworth import _engine

GOLDEN = Path(__file__).parent / "golden"
RANKS = (2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 128, 200, 256, 300, 512, 600, 1024, 2048, 4096)
BYTES = (1, 8, 64, 256, 1024, 2048, 4096, 12288, 12296, 65536, 262144, 524288, 524296, 1048576, 4194304)
LIBRARIES = ("mpich", "openmpi-4.0", "openmpi-4.1", "openmpi-5.0")
REDUCTIONS = {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}


def choice(library: str, what: str, nodes: list[int], size: int, *, nonblocking: bool = False) -> str:
    element = 8 if what in REDUCTIONS else 1
    return _engine.collective_choice(library, what, nodes, size, element, nonblocking)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("nonblocking", [False, True])
def test_decisions_are_as_before(library: str, nonblocking: bool) -> None:
    """One line for the rank counts that decide alike: runs of sizes with the same algorithm. Two nodes, ranks in blocks."""
    lines = []
    for what in _engine.collective_algorithms():
        alike: dict[str, list[str]] = {}
        for ranks in RANKS:
            nodes = [rank * 2 // ranks for rank in range(ranks)]
            runs: list[str] = []
            for size in BYTES:
                name = choice(library, what, nodes, size, nonblocking=nonblocking)
                if not runs or runs[-1].split("@")[0] != name:
                    runs.append(f"{name}@{size}")
            alike.setdefault(" ".join(runs), []).append(str(ranks))
        lines += [f"{what} {' '.join(ranks)}: {runs}" for runs, ranks in alike.items()]
    # All versions of Open MPI have the same nonblocking algorithms.
    kind = f"{library.split('-')[0]}-nonblocking" if nonblocking else f"{library}-blocking"
    check_golden(GOLDEN / f"decisions-{kind}.txt", "\n".join(lines))


def mpich_tables(library: Path) -> list[dict[str, Any]]:
    """The tuning files that an MPICH carries in itself, as JSON in its read-only data."""
    found = re.findall(rb'\{"collective=[^\0]{500,}', library.read_bytes())
    return [json.loads(text) for text in found]


def look_up(table: dict[str, Any], ranks: int, size: int, total: int, count: int) -> str:
    """Walk a tuning file as MPICH does for a flat intra-communicator, a built-in operation and no MPI_IN_PLACE."""
    power = 1 << (ranks.bit_length() - 1)
    facts = {
        "comm_type": "intra",
        "comm_hierarchy": "any",
        "is_commutative": "yes",
        "is_op_built_in": "yes",
        "is_sendbuf_inplace": "no",
        "is_node_consecutive": "no",
    }
    while True:
        for key, below in table.items():
            name, comparison, value = re.fullmatch(r"(\w+)(<=|<|=)(.+)", key).groups()  # type: ignore[union-attr]
            if name == "algorithm":
                return str(value)
            figures = {"comm_size": ranks, "avg_msg_size": size, "total_msg_size": total, "count": count}
            limit = power if value == "pow2" else int(value) if value.isdigit() else 0
            if value == "any" or facts.get(name) == value:
                matches = True
            elif name == "comm_size" and value == "pow2":
                matches = ranks == power
            elif name in figures:
                matches = figures[name] < limit or (comparison == "<=" and figures[name] == limit)
            else:
                matches = False
            if matches:
                table = below
                break
        else:
            raise AssertionError(f"no branch of {list(table)} fits {ranks} ranks and {size} bytes")


OURS = {
    "bcast": {
        "binomial": "binomial",
        "scatter_recursive_doubling_allgather": "scatter_allgather",
        "scatter_ring_allgather": "scatter_allgather_ring",
    },
    "reduce": {"binomial": "binomial", "reduce_scatter_gather": "rabenseifner"},
    "allreduce": {"recursive_doubling": "recursive_doubling", "reduce_scatter_allgather": "rabenseifner"},
    "allgather": {"recursive_doubling": "recursive_doubling", "brucks": "bruck", "ring": "ring"},
    "alltoall": {"brucks": "bruck", "scattered": "linear", "pairwise": "pairwise_xor"},
    "reduce_scatter_block": {"recursive_halving": "recursive_halving", "pairwise": "pairwise"},
    "ialltoall": {"brucks": "bruck", "permuted_sendrecv": "linear", "pairwise": "pairwise_xor"},
}
OURS |= {"ibcast": OURS["bcast"], "iallreduce": OURS["allreduce"]}
"""Our names of the algorithms that MPICH calls MPIR_Bcast_intra_binomial, MPIR_Ibcast_intra_sched_binomial and so on."""


def own_table() -> dict[str, Any]:
    from linkworth.mpi import find

    for mpi in find.find_all():
        # MPICH 3 has its limits in code, MPICH 5 compiles its tables.
        if mpi.kind == "mpich" and mpi.version.startswith("4."):
            for table in mpich_tables(Path(mpi.library)):
                if "collective=ibcast" in table:
                    return table
    pytest.skip("no MPICH 4 with its tuning file inside was found")


AT_LIMITS = (8, 16, 64, 256, 264, 2048, 2056, 12280, 12288, 12296, 32768, 32776, 524280, 524288, 524296)


@pytest.mark.parametrize("what", list(OURS))
def test_mpich_decides_as_its_own_tuning_file_says(what: str) -> None:
    table = own_table()[f"collective={what}"]
    nonblocking = what.startswith("i")
    plain = what.removeprefix("i")
    for ranks in range(2, 34):
        for size in AT_LIMITS:
            found = look_up(table, ranks, size, size * ranks, size // 8)
            theirs = OURS[what][found.removeprefix(f"MPIR_{what.capitalize()}_intra_").removeprefix("sched_")]
            ours = choice("mpich", plain, list(range(ranks)), size, nonblocking=nonblocking)
            assert (ranks, size, ours) == (ranks, size, theirs)
