// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Some ranks spawn others and merge with them. Collectives among all of them must match, whether or not the
// spawned ones are traced.
#include "check.h"

int main(int argc, char** argv) {
    int one = 1, sum = 0, size, rank;
    MPI_Comm parent, between, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    between = parent;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                       MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
    MPI_Comm_size(all, &size);
    MPI_Comm_rank(all, &rank);
    MPI_Barrier(all);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == size);
    MPI_Barrier(between);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
