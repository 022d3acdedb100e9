// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Preloaded into lw-npb: counts its MPI calls by function and bytes of one call, and writes them in the order
// of first use to $COUNT_CALLS/RANK at MPI_Finalize. The tests' own, so that it shares no mistake with the
// tracer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char* function;
    long long bytes, count;
} kinds[256];
static int kind_count;

static void count(const char* function, long long bytes) {
    int i = 0;
    while (i < kind_count && (strcmp(kinds[i].function, function) != 0 || kinds[i].bytes != bytes)) ++i;
    if (i == 256) abort();
    if (i == kind_count) {
        kinds[i].function = function;
        kinds[i].bytes = bytes;
        ++kind_count;
    }
    ++kinds[i].count;
}

static long long bytes_of(int elements, MPI_Datatype type) {
    int size;
    PMPI_Type_size(type, &size);
    return (long long)elements * size;
}

int MPI_Pcontrol(const int level, ...) {
    count("MPI_Pcontrol", level);
    return MPI_SUCCESS;
}
int MPI_Barrier(MPI_Comm comm) {
    count("MPI_Barrier", 0);
    return PMPI_Barrier(comm);
}
int MPI_Bcast(void* buffer, int elements, MPI_Datatype type, int root, MPI_Comm comm) {
    count("MPI_Bcast", bytes_of(elements, type));
    return PMPI_Bcast(buffer, elements, type, root, comm);
}
int MPI_Reduce(const void* in, void* out, int elements, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
    count("MPI_Reduce", bytes_of(elements, type));
    return PMPI_Reduce(in, out, elements, type, op, root, comm);
}
int MPI_Allreduce(const void* in, void* out, int elements, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    count("MPI_Allreduce", bytes_of(elements, type));
    return PMPI_Allreduce(in, out, elements, type, op, comm);
}
int MPI_Alltoall(const void* in, int sent, MPI_Datatype in_type, void* out, int received,
                 MPI_Datatype out_type, MPI_Comm comm) {
    count("MPI_Alltoall", bytes_of(sent, in_type));
    return PMPI_Alltoall(in, sent, in_type, out, received, out_type, comm);
}
int MPI_Alltoallv(const void* in, const int sent[], const int from[], MPI_Datatype in_type, void* out,
                  const int received[], const int to[], MPI_Datatype out_type, MPI_Comm comm) {
    int size, elements = 0;
    PMPI_Comm_size(comm, &size);
    for (int peer = 0; peer < size; ++peer) elements += sent[peer];
    count("MPI_Alltoallv", bytes_of(elements, in_type));
    return PMPI_Alltoallv(in, sent, from, in_type, out, received, to, out_type, comm);
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
    count("MPI_Comm_dup", 0);
    return PMPI_Comm_dup(comm, copy);
}
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* part) {
    count("MPI_Comm_split", 0);
    return PMPI_Comm_split(comm, colour, key, part);
}
int MPI_Send(const void* buffer, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    count("MPI_Send", bytes_of(elements, type));
    return PMPI_Send(buffer, elements, type, to, tag, comm);
}
int MPI_Recv(void* buffer, int elements, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
    count("MPI_Recv", bytes_of(elements, type));
    return PMPI_Recv(buffer, elements, type, from, tag, comm, status);
}
int MPI_Irecv(void* buffer, int elements, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
    count("MPI_Irecv", bytes_of(elements, type));
    return PMPI_Irecv(buffer, elements, type, from, tag, comm, request);
}
int MPI_Isend(const void* buffer, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    count("MPI_Isend", bytes_of(elements, type));
    return PMPI_Isend(buffer, elements, type, to, tag, comm, request);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    count("MPI_Wait", 0);
    return PMPI_Wait(request, status);
}
int MPI_Waitall(int requests, MPI_Request list[], MPI_Status statuses[]) {
    count("MPI_Waitall", requests);
    return PMPI_Waitall(requests, list, statuses);
}
int MPI_Finalize(void) {
    int rank;
    char path[4096];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/%d", getenv("COUNT_CALLS"), rank);
    FILE* file = fopen(path, "w");
    if (!file) abort();
    for (int i = 0; i < kind_count; ++i)
        fprintf(file, "%s %lld %lld\n", kinds[i].function, kinds[i].bytes, kinds[i].count);
    fclose(file);
    return PMPI_Finalize();
}
