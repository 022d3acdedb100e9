// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Measures how much of a message the kernel buffers when its sender goes on. Two ranks on two nodes act as
// the ranks of a node each: they open some TCP connections between them and send a message over each at the
// same moment, as far as the kernel takes it. Arguments: connections, "oneway" or "exchange", bytes, bursts,
// microseconds of silence before each. Prints, of the last half of the bursts: median bytes that the kernel
// holds of a message once it has taken its last byte, median seconds until then, and until the last burst's
// bytes are all there; the median bytes it held in the first burst, and those of the send buffer in the end;
// and the mean time at which a connection's message is there, over that of the last one's (median).
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/sockios.h>
#include <mpi.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void require(int good, const char* what) {
    if (good) return;
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static int in_order(const void* a, const void* b) {
    const double left = *(const double*)a, right = *(const double*)b;
    return (left > right) - (left < right);
}

static double median(double* values, int count) {
    qsort(values, (size_t)count, sizeof *values, in_order);
    return values[count / 2];
}

/// The address of this node's first NIC in the lab (d0; the others are for the launcher).
static struct sockaddr_in own_address(void) {
    struct ifaddrs* all;
    struct sockaddr_in found = {.sin_family = AF_INET};
    require(getifaddrs(&all) == 0, "getifaddrs");
    for (struct ifaddrs* each = all; each != NULL; each = each->ifa_next) {
        if (each->ifa_addr == NULL || each->ifa_addr->sa_family != AF_INET) continue;
        if (strcmp(each->ifa_name, "d0") != 0) continue;
        found.sin_addr = ((struct sockaddr_in*)each->ifa_addr)->sin_addr;
        break;
    }
    freeifaddrs(all);
    return found;
}

static void connect_all(int rank, int connections, int* sockets) {
    struct sockaddr_in address = own_address();
    socklen_t length = sizeof address;
    int listener = -1;
    if (rank == 0) {
        listener = socket(AF_INET, SOCK_STREAM, 0);
        require(bind(listener, (struct sockaddr*)&address, length) == 0, "bind");
        require(listen(listener, connections) == 0, "listen");
        getsockname(listener, (struct sockaddr*)&address, &length);
    }
    MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < connections; ++i) {
        sockets[i] = rank == 0 ? accept(listener, NULL, NULL) : socket(AF_INET, SOCK_STREAM, 0);
        if (rank == 1)
            require(connect(sockets[i], (struct sockaddr*)&address, sizeof address) == 0, "connect");
        const int yes = 1;
        setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        fcntl(sockets[i], F_SETFL, O_NONBLOCK);
    }
}

/// One burst: sends `to_send` and receives `to_receive` bytes over each connection.
static void burst(const int* sockets, int connections, size_t to_send, size_t to_receive, char* out, char* in,
                  double* held, double* taken, double* there) {
    size_t* const left = calloc(2 * (size_t)connections, sizeof *left);
    if (left == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    size_t* const missing = left + connections;
    for (int i = 0; i < connections; ++i) left[i] = to_send, missing[i] = to_receive;
    const double start = MPI_Wtime();
    for (int open = 1; open != 0;) {
        open = 0;
        for (int i = 0; i < connections; ++i) {
            if (left[i] > 0) {
                const ssize_t wrote = send(sockets[i], out, left[i], 0);
                require(wrote > 0 || errno == EAGAIN, "send");
                if (wrote > 0) left[i] -= (size_t)wrote;
                if (left[i] == 0) {
                    int queued = 0;
                    ioctl(sockets[i], SIOCOUTQ, &queued);
                    held[i] = queued;
                    taken[i] = MPI_Wtime() - start;
                }
            }
            while (missing[i] > 0) {
                const ssize_t got = recv(sockets[i], in, missing[i], 0);
                require(got > 0 || (got < 0 && errno == EAGAIN), "recv");
                if (got <= 0) break;
                missing[i] -= (size_t)got;
                there[i] = MPI_Wtime() - start;
            }
            open |= left[i] > 0 || missing[i] > 0;
        }
    }
    free(left);
}

/// Returns the mean over the last of a burst's arrivals.
static double evenness(const double* there, int connections) {
    double sum = 0, last = 0;
    for (int i = 0; i < connections; ++i) {
        sum += there[i];
        if (there[i] > last) last = there[i];
    }
    return last > 0 ? sum / connections / last : 0;
}

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count != 6) MPI_Abort(MPI_COMM_WORLD, 2);
    const int connections = atoi(arguments[1]), exchange = strcmp(arguments[2], "exchange") == 0;
    const int bytes = atoi(arguments[3]), bursts = atoi(arguments[4]);
    const useconds_t silence = (useconds_t)atoi(arguments[5]);
    const size_t results = (size_t)connections * (size_t)bursts;
    int* const sockets = calloc((size_t)connections, sizeof *sockets);
    char* const out = calloc((size_t)bytes, 1);
    char* const in = calloc((size_t)bytes, 1);
    double* const held = calloc(results, sizeof *held);
    double* const taken = calloc(results, sizeof *taken);
    double* const there = calloc((size_t)connections, sizeof *there);
    double* const even = calloc((size_t)bursts, sizeof *even);
    double* const whole = calloc((size_t)bursts, sizeof *whole);
    if (!sockets || !out || !in || !held || !taken || !there || !even || !whole) MPI_Abort(MPI_COMM_WORLD, 3);
    connect_all(rank, connections, sockets);

    const size_t sends = rank == 0 || exchange ? (size_t)bytes : 0;
    const size_t receives = rank == 1 || exchange ? (size_t)bytes : 0;
    for (int i = 0; i < bursts; ++i) {
        usleep(silence);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        burst(sockets, connections, sends, receives, out, in, held + (size_t)i * (size_t)connections,
              taken + (size_t)i * (size_t)connections, there);
        even[i] = evenness(there, connections);
        MPI_Barrier(MPI_COMM_WORLD);
        whole[i] = MPI_Wtime() - start;
    }
    double typical = median(even + bursts / 2, bursts - bursts / 2);
    MPI_Bcast(&typical, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    if (rank == 0) {
        int buffer = 0;
        socklen_t length = sizeof buffer;
        getsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &buffer, &length);
        const int later = bursts / 2 * connections, most = (bursts - bursts / 2) * connections;
        const double first = median(held, connections);
        printf("%.0f %.9f %.9f %.0f %d %.4f\n", median(held + later, most), median(taken + later, most),
               median(whole + bursts / 2, bursts - bursts / 2), first, buffer, typical);
    }
    free(whole);
    free(even);
    free(there);
    free(taken);
    free(held);
    free(in);
    free(out);
    free(sockets);
    MPI_Finalize();
    return 0;
}
