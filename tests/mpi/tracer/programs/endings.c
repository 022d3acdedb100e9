// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Ends in the way that the first argument names, after some calls that a trace should still hold.
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void call_often(int times) {
    int flag;
    for (int i = 0; i < times; i++) MPI_Iprobe(MPI_ANY_SOURCE, i, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The least CPU time of a thousand calls. An MPI that yields in MPI_Iprobe lends its core to others for
// longer than the call takes.
static double least_seconds(void) {
    double least = 1;
    for (int i = 0; i < 50; i++) {
        double start = cpu_seconds();
        call_often(1000);
        double seconds = cpu_seconds() - start;
        if (seconds < least) least = seconds;
    }
    return least;
}

// Past the limit a call takes no longer than while it is recorded. To encode what is dropped took six times
// as long.
static void fill_the_disk(void) {
    double recorded = least_seconds();
    call_often(100000);
    double dropped = least_seconds();
    if (dropped > 3 * recorded) fprintf(stderr, "%g us, %g us when full\n", 1e3 * recorded, 1e3 * dropped);
    CHECK(dropped <= 3 * recorded);
}

static sigjmp_buf before_the_error;

static void leave_the_call(MPI_Comm* comm, int* code, ...) { siglongjmp(before_the_error, 1); }

static void __attribute__((noinline)) call_deeper(int depth) {
    char volatile room[256] = {0};
    if (depth > 0) call_deeper(depth - 1);
    if (depth == 0) call_often(1000 + room[0]);
}

// Out of a call by siglongjmp, twice; then on in a deeper frame than the call's.
static void jump_out_of_calls(void) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave_the_call, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    for (volatile int times = 0; times < 2; times++) {
        if (sigsetjmp(before_the_error, 1) == 0) MPI_Send(&handler, 1, MPI_INT, 99, 0, MPI_COMM_SELF);
        call_deeper(20);
    }
}

static void fork_a_child(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        int flag;
        MPI_Initialized(&flag);
        _exit(flag ? 0 : 1);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A child that becomes another program does not end what the parent records.
static void start_another_program(void) {
    CHECK(system("exit 3") == 3 << 8);
    call_often(1000);
}

// A payload longer than a block: so many requests complete in one call.
static void complete_very_many(void) {
    enum { MANY = 20000 };
    static MPI_Request requests[MANY];
    static int received[MANY];
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&received[i], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < MANY; i++) MPI_Send(&i, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
}

static void compute(void) {
    volatile double sum = 0;
    double end = MPI_Wtime() + 0.1;
    while (MPI_Wtime() < end)
        for (int i = 0; i < 2000000; i++) sum += i;
}

// Libraries call this first of all in MPI_Finalize.
static int die(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return kill(getpid(), SIGKILL);
}

static void die_in_finalize(void) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, die, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

int main(int argc, char** argv) {
    const char* ending = argc > 1 ? argv[1] : "";
    int rank;
    if (strcmp(ending, "exec before") == 0) execl(argv[0], argv[0], "nothing special", NULL);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(ending, "limit") == 0) setrlimit(RLIMIT_FSIZE, &(struct rlimit){1300000, RLIM_INFINITY});
    if (strcmp(ending, "many") == 0)
        complete_very_many();
    else if (strcmp(ending, "compute") == 0)
        compute();
    else if (strcmp(ending, "jump") == 0)
        jump_out_of_calls();
    else if (strcmp(ending, "limit") == 0)
        fill_the_disk();
    else
        call_often(30000);
    if (strcmp(ending, "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(ending, "abort") == 0) {
        if (rank == 0) {
            MPI_Abort(MPI_COMM_WORLD, 5);
            // MPICH 5 may return, and be killed by its launcher a little later.
            pause();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(ending, "in finalize") == 0) die_in_finalize();
    if (strcmp(ending, "exit") == 0) _exit(4);
    if (strcmp(ending, "exec") == 0) execl("/bin/sh", "sh", "-c", "echo another image; exit 3", NULL);
    if (strcmp(ending, "fork") == 0) fork_a_child();
    if (strcmp(ending, "system") == 0) start_another_program();
    if (rank == 0) printf("all right\n");
    MPI_Finalize();
    return 0;
}
