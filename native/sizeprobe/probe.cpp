// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>

/// Prints `linkworth-probe RANK SIZE HOST` from each rank. A launcher that does not fit the library silently
/// starts many copies of rank 0 of 1. One that does not know the job's nodes puts all ranks on the first.
/// With the argument `init`, rank 0 also prints `linkworth-init SECONDS`: the longest MPI_Init.
int main(int argc, char** argv) {
    const bool timed = argc > 1 && std::strcmp(argv[1], "init") == 0;
    const auto begin = std::chrono::steady_clock::now();
    MPI_Init(&argc, &argv);
    const std::chrono::duration<double> own = std::chrono::steady_clock::now() - begin;
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::printf("linkworth-probe %d %d %s\n", rank, size, host);
    if (timed) {
        const double seconds = own.count();
        double longest = seconds;
        MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0) std::printf("linkworth-init %.9f\n", longest);
    }
    std::fflush(stdout);
    return MPI_Finalize();
}
