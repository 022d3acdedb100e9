// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Rank 0 sends messages to itself; now and then it waits for an answer of rank 1 that takes 2 ms. It prints
// how many it received and the seconds that MPI_Wait took, by its own clock without what that costs.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGES = 100000, FROM_ONE_TO_THE_NEXT = 10000, TRIAL_READINGS = 1000 };

static double waited;

static void exchange(int peer) {
    int sent = 1, received = 0;
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    double start = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    waited += MPI_Wtime() - start;
}

// The least of some trials, as what interrupts one is none of its cost.
static double cost_of_reading(void) {
    double least = 1;
    for (int i = 0; i < TRIAL_READINGS; i++) {
        double start = MPI_Wtime(), between = MPI_Wtime() - start;
        if (between < least) least = between;
    }
    return least;
}

static void answer(void) {
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(2000);
    MPI_Send(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++) {
        int remote = i % FROM_ONE_TO_THE_NEXT == FROM_ONE_TO_THE_NEXT - 1;
        if (rank == 0)
            exchange(remote ? 1 : 0);
        else if (remote)
            answer();
    }
    if (rank == 0) printf("%d %.9f\n", MESSAGES, waited - MESSAGES * cost_of_reading());
    MPI_Finalize();
    return 0;
}
