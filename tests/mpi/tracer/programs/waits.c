// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Every way to wait, on every kind of request, on four ranks: what the program sees must not depend on
// whether waiting ranks yield. PERSISTENT_COLLECTIVES adds those of MPI-4.
#include "check.h"

#ifndef OPEN_MPI
#define NONE 0x12345678
#elif OMPI_MAJOR_VERSION < 5  // later ones crash on it, traced or not
#define NONE NULL
#endif

enum { ALL, ANY, SOME, EACH, WAYS, KINDS = 3 };

static int rank, size;

static void wait_for(int way, int count, MPI_Request* requests) {
    MPI_Status statuses[KINDS];
    int index, done = 0, indices[KINDS];
    if (way == ALL) CHECK(MPI_Waitall(count, requests, statuses) == MPI_SUCCESS);
    for (int i = 0; way == ANY && i < count; i++) {
        CHECK(MPI_Waitany(count, requests, &index, statuses) == MPI_SUCCESS);
        CHECK(index >= 0 && index < count);
    }
    while (way == SOME && done < count) {
        int some;
        CHECK(MPI_Waitsome(count, requests, &some, indices, statuses) == MPI_SUCCESS);
        CHECK(some > 0);
        done += some;
    }
    for (int i = 0; way == EACH && i < count; i++) CHECK(MPI_Wait(&requests[i], &statuses[0]) == MPI_SUCCESS);
}

static void of_once(int way) {
    int sent = rank, received = -1, sum = -1;
    MPI_Request requests[KINDS];
    MPI_Irecv(&received, 1, MPI_INT, (rank + size - 1) % size, way, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, way, MPI_COMM_WORLD, &requests[2]);
    wait_for(way, KINDS, requests);
    for (int i = 0; i < KINDS; i++) CHECK(requests[i] == MPI_REQUEST_NULL);
    CHECK(received == (rank + size - 1) % size && sum == 6);
}

static void of_messages_again(int way) {
    int sent = rank, received = -1;
    MPI_Request requests[2];
    MPI_Recv_init(&received, 1, MPI_INT, (rank + size - 1) % size, way, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&sent, 1, MPI_INT, (rank + 1) % size, way, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++, received = -1) {
        MPI_Startall(2, requests);
        wait_for(way, 2, requests);
        CHECK(received == (rank + size - 1) % size);
    }
    for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
}

#ifdef PERSISTENT_COLLECTIVES
static void of_collectives_again(int way) {
    int sent = rank, sum = -1;
    MPI_Request request;
    MPI_Allreduce_init(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++, sum = -1) {
        MPI_Start(&request);
        wait_for(way, 1, &request);
        CHECK(sum == 6);
    }
    MPI_Request_free(&request);
}
#endif

static void without_statuses(void) {
    int sent = rank, received = -1;
    MPI_Request requests[3] = {MPI_REQUEST_NULL};
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD, &requests[2]);
    CHECK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    CHECK(received == (rank + size - 1) % size);
    CHECK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}

// The second of three messages is longer than its buffer, which Open MPI does not notice.
#ifndef OPEN_MPI
static void with_an_error(void) {
    int sent[2] = {rank, rank}, first = -1, second = -1, third = -1, class;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Irecv(&first, 1, MPI_INT, rank, 11, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&second, 1, MPI_INT, rank, 12, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&third, 1, MPI_INT, rank, 13, MPI_COMM_WORLD, &requests[2]);
    MPI_Send(sent, 1, MPI_INT, rank, 11, MPI_COMM_WORLD);
    MPI_Send(sent, 2, MPI_INT, rank, 12, MPI_COMM_WORLD);
    MPI_Send(sent, 1, MPI_INT, rank, 13, MPI_COMM_WORLD);
    CHECK(MPI_Waitall(3, requests, statuses) == MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && first == rank);
    MPI_Error_class(statuses[1].MPI_ERROR, &class);
    CHECK(class == MPI_ERR_TRUNCATE);
    CHECK(statuses[2].MPI_ERROR == MPI_SUCCESS || statuses[2].MPI_ERROR == MPI_ERR_PENDING);
    if (requests[2] != MPI_REQUEST_NULL) MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    CHECK(third == rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
#endif

#ifdef NONE
// The library refuses a list with a request that is none, and leaves the count unset.
static void with_no_request(void) {
    int received = -1, some = 1 << 30, indices[2];
    MPI_Request requests[2] = {(MPI_Request)NONE};
    MPI_Irecv(&received, 1, MPI_INT, rank, 14, MPI_COMM_WORLD, &requests[1]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Testsome(2, requests, &some, indices, MPI_STATUSES_IGNORE) != MPI_SUCCESS);
    CHECK(some == 1 << 30);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Send(&rank, 1, MPI_INT, rank, 14, MPI_COMM_WORLD);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    CHECK(received == rank);
}
#endif

// The request stays, whatever is found.
static void look_before_waiting(void) {
    int received = -1, found = 1;
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_INT, rank, 15, MPI_COMM_WORLD, &request);
    MPI_Request_get_status(request, &found, MPI_STATUS_IGNORE);
    CHECK(!found);
    MPI_Send(&rank, 1, MPI_INT, rank, 15, MPI_COMM_WORLD);
    while (!found) MPI_Request_get_status(request, &found, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(received == rank);
}

// The first sends to the second, which sends to MPI_PROC_NULL: its partner's status is that of MPI_PROC_NULL.
static void exchange_with_nobody(void) {
    int value = rank, to = rank == 0 ? 1 : MPI_PROC_NULL, from = rank == 1 ? 0 : MPI_PROC_NULL, count = -1;
    MPI_Status status;
    memset(&status, 1, sizeof status);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, to, 5, from, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == from && status.MPI_TAG == (rank == 1 ? 5 : MPI_ANY_TAG));
    CHECK(count == (rank == 1) && value == (rank == 1 ? 0 : rank));
}

static int nothing(void* state, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int forget(void* state) { return MPI_SUCCESS; }
static int cancel(void* state, int complete) { return MPI_SUCCESS; }

// A request that no trace describes; the wait for it is recorded by name and time.
static void of_its_own(void) {
    MPI_Request request;
    MPI_Grequest_start(nothing, forget, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == 4);
    for (int way = 0; way < WAYS; way++) {
        of_once(way);
        of_messages_again(way);
#ifdef PERSISTENT_COLLECTIVES
        of_collectives_again(way);
#endif
    }
    without_statuses();
    of_its_own();
#ifndef OPEN_MPI
    with_an_error();
#endif
#ifdef NONE
    with_no_request();
#endif
    look_before_waiting();
    exchange_with_nobody();
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
