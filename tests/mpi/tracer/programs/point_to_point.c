// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Four ranks; every kind of point-to-point call once, with results checked. Each section has its own tags.
#include "check.h"

static int rank, size, next, previous;

static void blocking_modes(void) {
    static char buffer[4096 + MPI_BSEND_OVERHEAD];
    int sent = 100 + rank, received = -1;
    MPI_Status status;
    MPI_Buffer_attach(buffer, sizeof buffer);
    if (rank == 0) {
        MPI_Send(&sent, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Bsend(&sent, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Ssend(&sent, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Recv(&received, 0, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(&sent, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else if (rank == 1) {
        int large[8];
        for (int tag = 1; tag <= 3; tag++) {
            MPI_Recv(large, 8, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
            int count;
            MPI_Get_count(&status, MPI_INT, &count);
            CHECK(count == 1 && status.MPI_SOURCE == 0 && status.MPI_TAG == tag);
        }
        MPI_Request ready;
        MPI_Irecv(&received, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &ready);
        MPI_Send(&sent, 0, MPI_INT, 0, 5, MPI_COMM_WORLD);
        MPI_Wait(&ready, &status);
        CHECK(received == 100 && ready == MPI_REQUEST_NULL && status.MPI_TAG == 4);
    }
    void* detached;
    int bytes;
    MPI_Buffer_detach(&detached, &bytes);
    CHECK(detached == buffer);
}

static void wildcards(void) {
    int sent = rank, received = -1;
    MPI_Status status;
    if (rank) {
        MPI_Send(&sent, 1, MPI_INT, 0, 10 + rank, MPI_COMM_WORLD);
        return;
    }
    int seen = 0;
    for (int i = 1; i < size; i++) {
        if (i == 1)
            MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        CHECK(i == 1 || (status.MPI_SOURCE == received && status.MPI_TAG == 10 + received));
        seen |= 1 << received;
    }
    CHECK(seen == (1 << size) - 2);
}

static void exchanges(void) {
    int sent = rank, received = -1, both = rank;
    MPI_Status status;
    MPI_Sendrecv(&sent, 1, MPI_INT, next, 20, &received, 1, MPI_INT, previous, 20, MPI_COMM_WORLD, &status);
    CHECK(received == previous && status.MPI_SOURCE == previous && status.MPI_TAG == 20);
    MPI_Sendrecv_replace(&both, 1, MPI_INT, next, 21, MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &status);
    CHECK(both == previous && status.MPI_SOURCE == previous);
    MPI_Sendrecv(&sent, 1, MPI_INT, MPI_PROC_NULL, 22, &received, 1, MPI_INT, MPI_PROC_NULL, 22,
                 MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    // At the edge of a domain. MPICH 4.0 does not write the source.
    MPI_Request request;
    status.MPI_SOURCE = previous;
    MPI_Irecv(&received, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
}

static void non_blocking(void) {
    int sent[4], received[4];
    MPI_Request requests[8];
    MPI_Status statuses[8];
    for (int i = 0; i < 4; i++) {
        sent[i] = 10 * rank + i;
        MPI_Irecv(&received[i], 1, MPI_INT, i == 3 ? MPI_ANY_SOURCE : previous, 30 + i, MPI_COMM_WORLD,
                  &requests[i]);
    }
    MPI_Isend(&sent[0], 1, MPI_INT, next, 30, MPI_COMM_WORLD, &requests[4]);
    MPI_Issend(&sent[1], 1, MPI_INT, next, 31, MPI_COMM_WORLD, &requests[5]);
    MPI_Isend(&sent[2], 1, MPI_INT, next, 32, MPI_COMM_WORLD, &requests[6]);
    MPI_Isend(&sent[3], 1, MPI_INT, next, 33, MPI_COMM_WORLD, &requests[7]);
    if (rank % 2) {
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Waitall(8, requests, statuses);
        CHECK(statuses[3].MPI_SOURCE == previous && statuses[3].MPI_TAG == 33);
    }
    for (int i = 0; i < 4; i++)
        CHECK(received[i] == 10 * previous + i && requests[i] == MPI_REQUEST_NULL &&
              requests[4 + i] == MPI_REQUEST_NULL);
}

static void completions(void) {
    int sent = 7, received[3], index, flag = 0, count, indices[3];
    MPI_Request requests[3], send;
    MPI_Status status, statuses[3];
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&received[i], 1, MPI_INT, previous, 40 + i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 3; i++) {
        MPI_Isend(&sent, 1, MPI_INT, next, 40 + i, MPI_COMM_WORLD, &send);
        while (!flag) MPI_Test(&send, &flag, MPI_STATUS_IGNORE);
        flag = 0;
    }
    MPI_Waitany(3, requests, &index, &status);
    CHECK(index >= 0 && index < 3 && requests[index] == MPI_REQUEST_NULL && status.MPI_TAG == 40 + index);
    for (int done = 1; done < 3; done += count) {
        MPI_Waitsome(3, requests, &count, indices, statuses);
        CHECK(count >= 1 && statuses[0].MPI_TAG == 40 + indices[0]);
    }
    MPI_Waitsome(3, requests, &count, indices, statuses);
    CHECK(count == MPI_UNDEFINED);
    MPI_Waitany(3, requests, &index, &status);
    CHECK(index == MPI_UNDEFINED);
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&received[i], 1, MPI_INT, previous, 50 + i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 3; i++) MPI_Send(&sent, 1, MPI_INT, next, 50 + i, MPI_COMM_WORLD);
    for (flag = 0; !flag;) MPI_Testany(3, requests, &index, &flag, &status);
    for (count = 0; count == 0;) MPI_Testsome(3, requests, &count, indices, statuses);
    for (flag = 0; !flag;) MPI_Testall(3, requests, &flag, statuses);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL &&
          requests[2] == MPI_REQUEST_NULL);
}

static void persistent(void) {
    int sent = 0, received = -1;
    MPI_Request requests[2];
    MPI_Recv_init(&received, 1, MPI_INT, MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&sent, 1, MPI_INT, next, 60, MPI_COMM_WORLD, &requests[1]);
    for (sent = 0; sent < 3; sent++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(received == sent);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

// Nobody receives yet, so that the data of the first start is still in the buffer when the second one comes.
static void restarted(void) {
    enum { COUNT = 100000, ROUNDS = 2 };
    static int sent[COUNT], received[COUNT];
    int bytes = ROUNDS * ((int)sizeof sent + MPI_BSEND_OVERHEAD);
    void* buffer = malloc((size_t)bytes);
    MPI_Request request;
    MPI_Buffer_attach(buffer, bytes);
    MPI_Bsend_init(sent, COUNT, MPI_INT, next, 65, MPI_COMM_WORLD, &request);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++)
        MPI_Recv(received, COUNT, MPI_INT, previous, 65, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
}

static void probes(void) {
    int sent = 80 + rank, received = -1, found = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    for (int i = 0; i < 4; i++) MPI_Send(&sent, 1, MPI_INT, next, 70 + i, MPI_COMM_WORLD);
    MPI_Probe(previous, 70, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_TAG == 70);
    MPI_Recv(&received, 1, MPI_INT, previous, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!found) MPI_Iprobe(MPI_ANY_SOURCE, 71, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Recv(&received, 1, MPI_INT, previous, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, 72, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&received, 1, MPI_INT, &message, &status);
    CHECK(received == 80 + previous && status.MPI_SOURCE == previous && message == MPI_MESSAGE_NULL);
    for (found = 0; !found;) MPI_Improbe(previous, 73, MPI_COMM_WORLD, &found, &message, &status);
    MPI_Imrecv(&received, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(received == 80 + previous);
    MPI_Mprobe(MPI_PROC_NULL, 74, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(&received, 1, MPI_INT, &message, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

static void cancelled_and_freed(void) {
    int received, sent = 1, cancelled;
    MPI_Request request;
    MPI_Status status;
    // MPICH does not write the source of a cancelled receive: an earlier call's stays.
    MPI_Sendrecv(&sent, 1, MPI_INT, rank, 90, &received, 1, MPI_INT, rank, 90, MPI_COMM_WORLD, &status);
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 90, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
    MPI_Isend(&sent, 1, MPI_INT, next, 91, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&received, 1, MPI_INT, previous, 91, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// More live requests than a table starts with; many libraries give complete ones the same handle.
static void many_requests(void) {
    enum { MANY = 3000 };
    static int sent[MANY], received[MANY];
    static MPI_Request requests[2 * MANY];
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&received[i], 1, MPI_INT, previous, 1000 + i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < MANY; i++) {
        sent[i] = i;
        MPI_Isend(&sent[i], 1, MPI_INT, next, 1000 + i, MPI_COMM_WORLD, &requests[MANY + i]);
    }
    MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++) CHECK(received[i] == i);
}

// The requests that one wait completes may have another one between them, or not. Complete ones share a
// handle.
static void others_between(void) {
    for (int i = 0; i < 4; i++) {
        int sent[2] = {i, rank}, received[2], last = i, late = -1;
        MPI_Request sends[2], receive;
        MPI_Isend(&sent[0], 1, MPI_INT, next, 100, MPI_COMM_WORLD, &sends[0]);
        if (i % 2) MPI_Irecv(&late, 1, MPI_INT, previous, 102, MPI_COMM_WORLD, &receive);
        MPI_Isend(&sent[1], 1, MPI_INT, next, 101, MPI_COMM_WORLD, &sends[1]);
        if (i % 2 == 0) MPI_Irecv(&late, 1, MPI_INT, previous, 102, MPI_COMM_WORLD, &receive);
        MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
        MPI_Send(&last, 1, MPI_INT, next, 102, MPI_COMM_WORLD);
        for (int j = 0; j < 2; j++)
            MPI_Recv(&received[j], 1, MPI_INT, previous, 100 + j, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
        CHECK(received[0] == i && received[1] == previous && late == i);
    }
}

// A vector datatype: its size is that of its data, without the gaps; its handle may come back for another
// one.
static void datatypes(void) {
    double grid[16] = {0};
    for (int columns = 1; columns <= 2; columns++) {
        MPI_Datatype column;
        MPI_Type_vector(4, columns, 4, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
        MPI_Sendrecv_replace(grid, 1, column, next, 95, previous, 95, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_free(&column);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Pcontrol(2);
    void (*sections[])(void) = {blocking_modes,      wildcards,     exchanges,      non_blocking,
                                completions,         persistent,    restarted,      probes,
                                cancelled_and_freed, many_requests, others_between, datatypes};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        sections[i]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
