// Copyright The linkworth developers. SPDX-License-Identifier: Apache-2.0
// Threads: "multiple": several threads call MPI at once, and complete each other's requests. "handles": each
// uses requests and messages of its own, whose handles the library gives from one to the other. "unasked":
// they make local calls at once without MPI_THREAD_MULTIPLE. "helpers": threads that call no MPI compute for
// the one that does; prints the process's and the caller's CPU time of it. "beside": one does on each of two
// ranks, inside of a call on rank 0 and between calls on rank 1; both have computed before MPI_Init.
// "ending": many threads wait for messages and end; prints by how many kB that makes the process larger.
// "last": threads make their first call while MPI_Finalize ends. "destructor": a thread calls MPI at its very
// end, when another has begun.
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, ROUNDS = 2000, HELPERS = 3 };

static MPI_Request handed_over[THREADS][ROUNDS];
static int cell[THREADS][ROUNDS];
static pthread_barrier_t all_there;

static void* call_mpi(void* argument) {
    int me = (int)(long)argument, other = (me + 1) % THREADS, flag, rank, value = me, answer;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Irecv(&cell[me][i], 1, MPI_INT, 0, me, MPI_COMM_WORLD, &handed_over[me][i]);
        MPI_Send(&value, 1, MPI_INT, 0, me, MPI_COMM_WORLD);
        MPI_Iprobe(0, THREADS + me, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < ROUNDS; i++) MPI_Wait(&handed_over[other][i], MPI_STATUS_IGNORE);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;
        MPI_Irecv(&answer, 1, MPI_INT, 0, me, MPI_COMM_WORLD, &request);
        MPI_Send(&value, 1, MPI_INT, 0, me, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (answer != me) return argument;
    }
    return NULL;
}

static void* use_handles(void* argument) {
    int me = (int)(long)argument, value = me, answer;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request requests[2], freed;
        MPI_Message message;
        MPI_Isend(&value, 1, MPI_INT, 0, me, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&answer, 0, MPI_INT, MPI_PROC_NULL, me, MPI_COMM_WORLD, &requests[1]);
        pthread_barrier_wait(&all_there);
        MPI_Mprobe(0, me, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&answer, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Recv_init(&answer, 1, MPI_INT, 0, me, MPI_COMM_WORLD, &freed);
        MPI_Request_free(&freed);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

static void* ask(void* unused) {
    (void)unused;
    int rank, size;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Type_size(MPI_INT, &size);
    }
    return NULL;
}

static void* exchange(void* unused) {
    int sent = 1, received;
    MPI_Request requests[2];
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return unused;
}

static atomic_bool over;

// Open MPI 5.0 may crash in MPI_Finalized and MPI_Initialized meanwhile. They walk the list of its hook
// components, which MPI_Finalize empties (ompi/mca/hook/base/hook_base.c).
static void* ask_version(void* unused) {
    int version, subversion;
    MPI_Get_version(&version, &subversion);
    return unused;
}

static void* begin_threads(void* unused) {
    pthread_t thread;
    while (!over)
        if (pthread_create(&thread, NULL, ask_version, NULL) == 0) pthread_join(thread, NULL);
    return unused;
}

static pthread_key_t last_key;
static pthread_barrier_t in_turn;

static void call_at_the_end(void* unused) {
    int flag;
    (void)unused;
    pthread_barrier_wait(&in_turn);
    pthread_barrier_wait(&in_turn);
    MPI_Initialized(&flag);
    pthread_barrier_wait(&in_turn);
}

static void* end_or_begin(void* second) {
    int flag;
    if (second) {
        pthread_barrier_wait(&in_turn);
        MPI_Finalized(&flag);
        pthread_barrier_wait(&in_turn);
        pthread_barrier_wait(&in_turn);
    } else {
        MPI_Finalized(&flag);
        pthread_setspecific(last_key, &flag);
    }
    return NULL;
}

static long memory_kb(void) {
    static const char field[] = "RssAnon:";
    char line[128];
    long kb = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        if (strncmp(line, field, sizeof field - 1) == 0) kb = atol(line + sizeof field - 1);
    fclose(status);
    return kb;
}

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds = 0.03;

static void* compute(void* unused) {
    volatile double sum = 0;
    double start = read_clock(CLOCK_THREAD_CPUTIME_ID);
    while (read_clock(CLOCK_THREAD_CPUTIME_ID) - start < seconds)
        for (int i = 0; i < 10000; i++) sum += i;
    return unused;
}

static int run(void* (*function)(void*), int count) {
    pthread_t threads[THREADS];
    int wrong = 0;
    for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, function, (void*)(long)i);
    for (int i = 0; i < count; i++) {
        void* answer;
        pthread_join(threads[i], &answer);
        wrong += answer != NULL;
    }
    return wrong;
}

// Runs inside of MPI_Comm_free. A thread beside a call that waits might compute before the call begins.
static int compute_in_call(MPI_Comm comm, int key, void* value, void* state) {
    (void)comm, (void)key, (void)value, (void)state;
    run(compute, 1);
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int level, wrong = 0, rank;
    if (argc > 1 && strcmp(argv[1], "multiple") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        pthread_barrier_init(&all_there, NULL, THREADS);
        if (level == MPI_THREAD_MULTIPLE) wrong = run(call_mpi, THREADS);
        for (int i = 0; level == MPI_THREAD_MULTIPLE && i < THREADS * ROUNDS; i++)
            wrong += cell[i / ROUNDS][i % ROUNDS] != i / ROUNDS;
        if (!wrong) printf("all right\n");
    } else if (argc > 1 && strcmp(argv[1], "handles") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        pthread_barrier_init(&all_there, NULL, THREADS);
        if (level == MPI_THREAD_MULTIPLE) run(use_handles, THREADS);
    } else if (argc > 1 && strcmp(argv[1], "ending") == 0) {
        long before = 0;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        for (int i = 0; level == MPI_THREAD_MULTIPLE && i < 600; i++) {
            if (i == 100) before = memory_kb();
            run(exchange, 1);
        }
        printf("%ld\n", level == MPI_THREAD_MULTIPLE ? memory_kb() - before : 0);
    } else if (argc > 1 && strcmp(argv[1], "last") == 0) {
        pthread_t threads[THREADS];
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, begin_threads, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        over = true;
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        return 0;
    } else if (argc > 1 && strcmp(argv[1], "destructor") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        pthread_key_create(&last_key, call_at_the_end);  // after the tracer's: its destructor comes later
        pthread_barrier_init(&in_turn, NULL, 2);
        run(end_or_begin, 2);
    } else if (argc > 1 && strcmp(argv[1], "unasked") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
        wrong = run(ask, 1) + run(ask, THREADS);
        if (!wrong) printf("all right\n");
    } else if (argc > 1 && strcmp(argv[1], "beside") == 0) {
        int key;
        MPI_Comm own;
        seconds = 0.12;  // many times what the threads of an MPI compute in MPI_Init
        compute(NULL);
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_dup(MPI_COMM_SELF, &own);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, compute_in_call, &key, NULL);
        if (rank == 0) MPI_Comm_set_attr(own, key, NULL);
        if (rank == 1) run(compute, 1);
        MPI_Comm_free(&own);
    } else {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
        // Twice: the first long gap teaches the tracer to look at the second from its start.
        for (int i = 0; i < 2; i++) {
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            double process = read_clock(CLOCK_PROCESS_CPUTIME_ID), own = read_clock(CLOCK_THREAD_CPUTIME_ID);
            run(compute, HELPERS);
            if (i == 1)
                printf("%.6f %.6f\n", read_clock(CLOCK_PROCESS_CPUTIME_ID) - process,
                       read_clock(CLOCK_THREAD_CPUTIME_ID) - own);
        }
        MPI_Comm_size(MPI_COMM_WORLD, &rank);
    }
    MPI_Finalize();
    return wrong != 0;
}
