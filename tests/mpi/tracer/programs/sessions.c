// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Four ranks; a program without MPI_Init, unless the argument is "init" (MPI_Init between two sessions) or
// "outlives" (a session goes on after MPI_Finalize). With "again" it begins once more after its last session.
#include "check.h"

static void work(MPI_Session session, const char* tag) {
    MPI_Group all, half;
    MPI_Comm comm, part;
    int rank, size, sum = 0, one = 1, got = -1;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    MPI_Group_size(all, &size);
    CHECK(size == 4);
    MPI_Comm_create_from_group(all, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1, comm,
                 MPI_STATUS_IGNORE);
    CHECK(got == (rank + size - 1) % size);
    int members[2] = {rank / 2 * 2 + 1, rank / 2 * 2};
    MPI_Group_incl(all, 2, members, &half);
    MPI_Comm_create_group(comm, half, 3, &part);
    MPI_Barrier(part);
    MPI_Comm_free(&part);
    MPI_Comm_free(&comm);
    MPI_Group_free(&half);
    MPI_Group_free(&all);
    if (rank == 0) printf("all right\n");
}

int main(int argc, char** argv) {
    MPI_Session session, other;
    if (argc > 1 && !strcmp(argv[1], "outlives")) {
        MPI_Init(&argc, &argv);
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        work(session, "work");
        MPI_Session_finalize(&session);
        return 0;
    }
    int with_init = argc > 1 && !strcmp(argv[1], "init");
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    if (with_init)
        MPI_Init(&argc, &argv);
    else
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other);
    work(session, "work");
    MPI_Session_finalize(&session);
    if (with_init) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    } else {
        MPI_Session_finalize(&other);
    }
    if (argc > 1 && !strcmp(argv[1], "again")) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Session_finalize(&session);
    }
    return 0;
}
