// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <mpi.h>
#include <unistd.h>

#include <cstdio>

/// Prints `linkworth-probe RANK SIZE HOST` from each rank: a launcher that does not fit the library starts
/// many copies of rank 0 of 1 without a word, and one that does not know the job's nodes puts all ranks on
/// the first.
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::printf("linkworth-probe %d %d %s\n", rank, size, host);
    std::fflush(stdout);
    return MPI_Finalize();
}
