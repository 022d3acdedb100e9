// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Four ranks; every constructor of communicators, and use of what it made.
#include "check.h"

static int rank, size;

static void use(MPI_Comm comm) {
    int one = 1, sum = 0, inter, others;
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &others);
    else
        MPI_Comm_size(comm, &others);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == others);
}

static void splits(void) {
    MPI_Comm half, none, node, again;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    use(half);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &none);
    CHECK((none == MPI_COMM_NULL) == (rank != 0));
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    use(node);
    MPI_Comm_free(&half);
    // The library may give the freed communicator's handle again; its number must be new.
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &again);
    use(again);
    MPI_Comm_free(&again);
    MPI_Comm_free(&node);
    if (rank == 0) MPI_Comm_free(&none);
}

static void duplicates(void) {
    MPI_Comm copy, informed, later;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_dup_with_info(copy, MPI_INFO_NULL, &informed);
    MPI_Comm_idup(informed, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(later);
    MPI_Comm_free(&later);
    MPI_Comm_free(&informed);
    MPI_Comm_disconnect(&copy);
}

static void from_groups(void) {
    MPI_Group world, some;
    MPI_Comm created, group_created;
    int members[2] = {3, 1};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &created);
    CHECK((created == MPI_COMM_NULL) == (rank % 2 == 0));
    if (rank % 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &group_created);
        use(group_created);
        MPI_Comm_free(&group_created);
        MPI_Comm_free(&created);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

static void topologies(void) {
    MPI_Comm grid, row, graph, distributed, adjacent;
    int dims[2] = {2, 2}, periods[2] = {0, 1}, remain[2] = {0, 1};
    int index[4] = {1, 2, 3, 4}, edges[4] = {1, 0, 3, 2}, neighbour = rank ^ 1, one = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_sub(grid, remain, &row);
    use(row);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
    use(graph);
    // Open MPI 4.1 may hang where ranks enter these constructors at different times.
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &neighbour, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &distributed);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &neighbour, MPI_UNWEIGHTED, 1, &neighbour,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &adjacent);
    int sent = rank, received = -1;
    MPI_Neighbor_allgather(&sent, 1, MPI_INT, &received, 1, MPI_INT, adjacent);
    CHECK(received == neighbour);
    MPI_Comm_free(&adjacent);
    MPI_Comm_free(&distributed);
    MPI_Comm_free(&graph);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

static void between_groups(void) {
    MPI_Comm half, bridge, merged;
    int value = rank, received = -1;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &bridge);
    use(bridge);
    // The first half's rank 1 gives to all of the second half.
    MPI_Bcast(&value, 1, MPI_INT, rank < 2 ? (rank == 1 ? MPI_ROOT : MPI_PROC_NULL) : 1, bridge);
    CHECK(rank < 2 || value == 1);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank % 2, 3, &received, 1, MPI_INT, rank % 2, 3, bridge,
                 MPI_STATUS_IGNORE);
    CHECK(received == (rank + 2) % 4);
    MPI_Intercomm_merge(bridge, rank < 2, &merged);
    use(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == 4);
    use(MPI_COMM_SELF);
    splits();
    duplicates();
    from_groups();
    topologies();
    between_groups();
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
