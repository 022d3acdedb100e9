// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Four ranks; every collective, blocking and non-blocking, with MPI_IN_PLACE where there is such a form.
#include "check.h"

static int rank, size;

static void rooted(void) {
    int value = rank == 1 ? 42 : 0, sum = 0, own = rank, all[4] = {0};
    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
    CHECK(value == 42);
    FINISH(MPI_Ibcast, &value, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Reduce(&own, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    CHECK(rank != 2 || sum == 6);
    double data[3] = {rank, rank, rank};
    MPI_Reduce(rank == 2 ? MPI_IN_PLACE : data, data, 3, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD);
    CHECK(rank != 2 || data[2] == 6);
    FINISH(MPI_Ireduce, &own, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    // The receiving arguments count at the root only: elsewhere they are nonsense that must not be looked at.
    MPI_Gather(&own, 1, MPI_INT, rank == 3 ? all : NULL, rank == 3 ? 1 : -7,
               rank == 3 ? MPI_INT : MPI_DATATYPE_NULL, 3, MPI_COMM_WORLD);
    CHECK(rank != 3 || all[2] == 2);
    all[3] = 3;
    if (rank == 3)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 3, MPI_COMM_WORLD);
    else
        MPI_Gather(&own, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 3, MPI_COMM_WORLD);
    FINISH(MPI_Igather, &own, 1, MPI_INT, all, 1, MPI_INT, 3, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++) all[i] = 10 * i;
    MPI_Scatter(all, 1, MPI_INT, &own, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(own == 10 * rank);
    MPI_Scatter(all, 1, MPI_INT, rank ? (void*)&own : MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD);
    FINISH(MPI_Iscatter, all, 1, MPI_INT, &own, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void rooted_by_peer(void) {
    int counts[4] = {1, 2, 3, 4}, places[4] = {0, 1, 3, 6}, all[10], own[4] = {rank, rank, rank, rank};
    MPI_Gatherv(own, rank + 1, MPI_INT, all, rank == 1 ? counts : NULL, rank == 1 ? places : NULL, MPI_INT, 1,
                MPI_COMM_WORLD);
    CHECK(rank != 1 || all[9] == 3);
    MPI_Gatherv(rank == 1 ? MPI_IN_PLACE : own, rank + 1, MPI_INT, all, counts, places, MPI_INT, 1,
                MPI_COMM_WORLD);
    FINISH(MPI_Igatherv, own, rank + 1, MPI_INT, all, counts, places, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Scatterv(all, rank == 1 ? counts : NULL, rank == 1 ? places : NULL, MPI_INT, own, rank + 1, MPI_INT,
                 1, MPI_COMM_WORLD);
    CHECK(own[0] == rank);
    MPI_Scatterv(all, counts, places, MPI_INT, rank == 1 ? MPI_IN_PLACE : own, rank + 1, MPI_INT, 1,
                 MPI_COMM_WORLD);
    FINISH(MPI_Iscatterv, all, counts, places, MPI_INT, own, rank + 1, MPI_INT, 1, MPI_COMM_WORLD);
}

static void reductions(void) {
    int own = rank + 1, result = 0, counts[4] = {1, 2, 3, 4}, vector[10], pieces[4];
    MPI_Allreduce(&own, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(result == 10);
    result = rank + 1;
    MPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(result == 10);
    FINISH(MPI_Iallreduce, &own, &result, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(result == 4);
    MPI_Scan(&own, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(result == own * (own + 1) / 2);
    FINISH(MPI_Iscan, &own, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(&own, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(rank == 0 || result == own * (own - 1) / 2);
    FINISH(MPI_Iexscan, &own, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++) vector[i] = i;
    MPI_Reduce_scatter(vector, pieces, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(pieces[rank] == 4 * (rank * (rank + 1) / 2 + rank));
    FINISH(MPI_Ireduce_scatter, vector, pieces, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(vector, pieces, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(pieces[1] == 4 * (2 * rank + 1));
    FINISH(MPI_Ireduce_scatter_block, vector, pieces, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void to_all(void) {
    int own = rank, all[4], send[4], receive[4];
    MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[3] == 3);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    FINISH(MPI_Iallgather, &own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++) send[i] = receive[i] = 10 * rank + i;
    MPI_Alltoall(send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(receive[2] == 20 + rank);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, receive, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(receive[2] == 10 * rank + 2);
    FINISH(MPI_Ialltoall, send, 1, MPI_INT, receive, 1, MPI_INT, MPI_COMM_WORLD);
}

static void to_all_by_peer(void) {
    int counts[4] = {1, 2, 3, 4}, places[4] = {0, 1, 3, 6}, own[4] = {rank, rank, rank, rank}, all[16];
    MPI_Allgatherv(own, rank + 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[0] == 0 && all[9] == 3);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    FINISH(MPI_Iallgatherv, own, rank + 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    // Rank r gives each peer r + 1 elements, and so gets p + 1 from peer p.
    int send[16], send_counts[4], send_places[4], byte_places[4];
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    for (int i = 0; i < 16; i++) send[i] = rank;
    for (int i = 0; i < 4; i++) {
        send_counts[i] = rank + 1;
        send_places[i] = i * (rank + 1);
    }
    MPI_Alltoallv(send, send_counts, send_places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    CHECK(all[0] == 0 && all[1] == 1 && all[9] == 3);
    FINISH(MPI_Ialltoallv, send, send_counts, send_places, MPI_INT, all, counts, places, MPI_INT,
           MPI_COMM_WORLD);
    int even[4] = {1, 1, 1, 1}, even_places[4] = {0, 1, 2, 3};
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, all, even, even_places, MPI_INT,
                  MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++) {
        send_places[i] *= (int)sizeof(int);
        byte_places[i] = places[i] * (int)sizeof(int);
    }
    MPI_Alltoallw(send, send_counts, send_places, types, all, counts, byte_places, types, MPI_COMM_WORLD);
    CHECK(all[9] == 3);
    FINISH(MPI_Ialltoallw, send, send_counts, send_places, types, all, counts, byte_places, types,
           MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == 4);
    MPI_Barrier(MPI_COMM_WORLD);
    FINISH(MPI_Ibarrier, MPI_COMM_WORLD);
    rooted();
    rooted_by_peer();
    reductions();
    to_all();
    to_all_by_peer();
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
