"""A small MPI program that sends a known number of bytes from rank 0 to rank 1."""

from pathlib import Path

from mpi_programs import compile_c

from linkworth.model.mpi import MpiInstallation

MESSAGE_BYTES = 8 << 20
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size, length;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(name, &length);
    printf("rank %d of %d on %s\n", rank, size, name);
    char *data = calloc(1 << 20, 1);
    for (int i = 0; i < 8; i++) {
        if (rank == 0) MPI_Send(data, 1 << 20, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(data, 1 << 20, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(data);
    MPI_Finalize();
    return argc < 1;
}
"""


def compile_into(folder: Path, mpi: MpiInstallation) -> Path:
    """Compile it for an MPI."""
    return compile_c(mpi, SOURCE, folder / f"send-{mpi.name}")
