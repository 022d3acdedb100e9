"""Programs with the communication of typical applications, as lists of calls a rank (see synthetic.py)."""

from synthetic import Call, collective, irecv, isend, sendrecv, waitall


def transposes(ranks: int, data_bytes: int, compute: float, steps: int = 5) -> list[list[Call]]:
    """All data is exchanged between all ranks in each step: spectral methods, sorting."""
    piece = data_bytes // ranks // ranks
    return [
        [collective("MPI_Alltoall", piece).after(compute, compute) for _ in range(steps)]
        + [collective("MPI_Allreduce", 16)]
        for _ in range(ranks)
    ]


def sparse_solver(ranks: int, vector_bytes: int, compute: float, steps: int = 20) -> list[list[Call]]:
    """Frequent exchanges of pieces of a vector and small reductions, on little work: conjugate gradients."""
    programs = []
    for rank in range(ranks):
        calls: list[Call] = []
        for _ in range(steps):
            for distance in (1, 2, ranks // 2):
                partner = rank ^ distance
                calls.append(sendrecv(partner, vector_bytes, partner).after(compute / 3, compute / 3))
            calls += [collective("MPI_Allreduce", 8), collective("MPI_Allreduce", 8)]
        programs.append(calls)
    return programs


def halo(ranks: int, face_bytes: int, compute: float, steps: int = 10) -> list[list[Call]]:
    """Faces to two neighbours on a ring under heavy computation: implicit solvers on structured grids."""
    programs = []
    for rank in range(ranks):
        left, right = (rank - 1) % ranks, (rank + 1) % ranks
        calls: list[Call] = []
        for _ in range(steps):
            calls += [irecv(left, face_bytes), irecv(right, face_bytes)]
            calls += [isend(left, face_bytes).after(compute, compute), isend(right, face_bytes)]
            calls.append(waitall(4, 3, 2, 1))
        programs.append(calls)
    return programs


def independent(ranks: int, compute: float) -> list[list[Call]]:
    """Computation, and one small sum at the end: random sampling."""
    return [[collective("MPI_Allreduce", 80).after(compute, compute)] for _ in range(ranks)]
